/* The second example of the JMPaX paper (figure 6). T1: x++; y = x + 1. T2: z = x + 1; x++. Initially x = -1, y = 0, z = 0.
 *
 * When x becomes positive, y must have been 0 at some time, and not greater than z since. So it is if z gets its value before y does, as in nearly
 * every run of this program, since y's thread is slow. FIXED: y waits for z, and the second x++ for y. */
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

int x = -1, y, z;
static sem_t x_is_set, z_is_set, y_is_set;

static void *first(void *unused)
{
	x++;
	sem_post(&x_is_set);
	int seen = x;
#ifdef FIXED
	sem_wait(&z_is_set);
#else
	usleep(20 * 1000);
#endif
	y = seen + 1;
	sem_post(&y_is_set);
	return unused;
}

static void *second(void *unused)
{
	sem_wait(&x_is_set);
	z = x + 1;
	sem_post(&z_is_set);
#ifdef FIXED
	sem_wait(&y_is_set);
#else
	usleep(40 * 1000);
#endif
	x++;
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	sem_init(&x_is_set, 0, 0);
	sem_init(&z_is_set, 0, 0);
	sem_init(&y_is_set, 0, 0);
	if (pthread_create(&threads[0], NULL, first, NULL) || pthread_create(&threads[1], NULL, second, NULL))
		return 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
