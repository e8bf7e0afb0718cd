/* Hand-over by two semaphores; a sum is looked at before the wait. */
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>
static sem_t ready, done;
int item, total;
static void *maker(void *u)
{
	for (int i = 0; i < 6; i++) {
		item = i;
		total += i;
		sem_post(&ready);
		sem_wait(&done);
	}
	return u;
}
static void *taker(void *u)
{
	for (int i = 0; i < 6; i++) {
		if (total > 1000)
			return u;
		sem_wait(&ready);
		int x = item;
		(void)x;
		sem_post(&done);
	}
	return u;
}
int main(void)
{
	pthread_t a, b;
	sem_init(&ready, 0, 0);
	sem_init(&done, 0, 0);
	pthread_create(&a, 0, maker, 0);
	pthread_create(&b, 0, taker, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
