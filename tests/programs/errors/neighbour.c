/* norn-test
 * errors: yes
 * nondeterministic: yes
 * finding: ^race \S*x (predicted|observed)
 * silent: -DRIGHT
 */
/* Forty threads use one half of a word under a lock, two of them the other half without it: what the many do must not make Norn forget the two. */
#include <pthread.h>

#define THREADS 40

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	int x, counted;
} pair;
#define x pair.x

static void *work(void *number)
{
	pthread_mutex_lock(&lock);
	pair.counted++;
#ifdef RIGHT
	x++;
#endif
	pthread_mutex_unlock(&lock);
#ifndef RIGHT
	if ((long)number == 0 || (long)number == THREADS - 1)
		x++;
#endif
	return number;
}

int main(void)
{
	pthread_t threads[THREADS];
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
