/* norn-test
 * errors: yes
 * nondeterministic: yes
 * finding: ^race x (predicted|observed)
 * silent: -DRIGHT
 */
/* What pthread_create writes lies side by side, and one of it begins at a multiple of 1024, at which the records of ranges are cut: it
 * is a write of its own all the same, or a replay would wait at another one (tests/confirm/programs). */
#include <pthread.h>

#define THREADS 40 /* so many that the first is done before the last is created */
#define CUT (1024 / sizeof(pthread_t))

static _Alignas(1024) pthread_t places[CUT + THREADS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x, counted;

static void *work(void *number)
{
	pthread_mutex_lock(&lock);
	counted++;
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
	pthread_t *threads = places + CUT - 2;
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
