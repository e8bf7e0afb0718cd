/* Two threads take turns, each in its own way: one monitor for all sees ping pong ping, one for each thread does not. */
#include <norn.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t mine, yours;

static void *answer(void *unused)
{
	for (int i = 0; i < 5; i++) {
		sem_wait(&yours);
		norn_event("pong", i);
		sem_post(&mine);
	}
	return unused;
}

int main(void)
{
	pthread_t thread;
	sem_init(&mine, 0, 0);
	sem_init(&yours, 0, 0);
	pthread_create(&thread, NULL, answer, NULL);
	for (int i = 0; i < 5; i++) {
		norn_event("ping", i);
		sem_post(&yours);
		sem_wait(&mine);
	}
	pthread_join(thread, NULL);
	return 0;
}
