/* Rounds of a barrier, whose last thread counts them; data of threads that is summed up when they end. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static pthread_barrier_t bar;
int sum, round_no;
static void done(void *p)
{
	sum += *(int *)p;
	free(p);
}
static void make(void)
{
	pthread_key_create(&key, done);
}
static void *work(void *n)
{
	pthread_once(&once, make);
	int *p = malloc(sizeof *p);
	*p = 1;
	pthread_setspecific(key, p);
	for (int i = 0; i < 3; i++) {
		if (pthread_barrier_wait(&bar) == PTHREAD_BARRIER_SERIAL_THREAD)
			round_no++;
		if (round_no > 5)
			break;
	}
	return 0;
}
int main(void)
{
	pthread_barrier_init(&bar, 0, 3);
	pthread_t t[3];
	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], 0, work, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return 0;
}
