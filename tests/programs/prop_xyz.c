/* norn-test
 * cc: -g -O0 -pthread
 * prop: prop_xyz.prop
 * no-finding: yes
 */
/* The x, y, z of the JMPaX paper, in the order in which it was seen there; in the bad order y passes z before x is positive again. */
#include <pthread.h>
#include <semaphore.h>

int x = -1, y = 0, z = 0;
static sem_t first, second;

static void *other(void *unused)
{
	sem_wait(&first);
#ifdef BAD
	x = x + 1;
	sem_post(&second);
	return unused;
#else
	z = x + 1;
	x = x + 1;
	sem_post(&second);
	return unused;
#endif
}

int main(void)
{
	pthread_t t;
	sem_init(&first, 0, 0);
	sem_init(&second, 0, 0);
	pthread_create(&t, NULL, other, NULL);
	x = x + 1;
#ifdef BAD
	y = x + 1;
	z = x + 1;
#endif
	sem_post(&first);
	sem_wait(&second);
#ifndef BAD
	y = x;
#endif
	pthread_join(t, NULL);
	return 0;
}
