/* norn-test
 * silent:
 * unjudged:
 */
/* Semaphores used as events that may be posted before they are waited for: trywait, timedwait and getvalue agree with what was posted; none waits for ever. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static sem_t early, credits, turn[3];
static sem_t *named;
static int made, taken, order[9], at;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *giver(void *arg)
{
	for (int i = 0; i < 6; i++) {
		pthread_mutex_lock(&lock);
		made++;
		pthread_mutex_unlock(&lock);
		sem_post(&credits);
		if (i == 2)
			sem_post(named);
	}
	return arg;
}
static void *taker(void *arg)
{
	int tries = 0;
	sem_wait(named);
	for (int i = 0; i < 3;) {
		struct timespec soon;
		clock_gettime(CLOCK_REALTIME, &soon);
		soon.tv_sec += 100;
		if (sem_trywait(&credits) == 0 || (errno == EAGAIN && sem_timedwait(&credits, &soon) == 0)) {
			pthread_mutex_lock(&lock);
			taken++;
			assert(taken <= made);
			pthread_mutex_unlock(&lock);
			i++;
		} else if (++tries > 1000)
			abort();
	}
	sem_post(named);
	return arg;
}
static void *player(void *arg)
{
	int me = (int)(size_t)arg;
	sem_wait(&early);
	sem_post(&early);
	for (int i = 0; i < 3; i++) {
		sem_wait(&turn[me]);
		order[at++] = me;
		assert(at == 1 || order[at - 2] == (me + 2) % 3);
		sem_post(&turn[(me + 1) % 3]);
	}
	return NULL;
}
int main(void)
{
	pthread_t t[6];
	char name[32];
	int v;
	sem_init(&early, 0, 1);
	sem_init(&credits, 0, 0);
	for (int i = 0; i < 3; i++)
		sem_init(&turn[i], 0, i == 0);
	snprintf(name, sizeof name, "/norn-w-%d", (int)getpid());
	named = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
	if (named == SEM_FAILED)
		abort();
	sem_unlink(name);
	pthread_create(&t[0], NULL, giver, NULL);
	for (int i = 1; i < 3; i++)
		pthread_create(&t[i], NULL, taker, NULL);
	for (size_t i = 3; i < 6; i++)
		pthread_create(&t[i], NULL, player, (void *)(i - 3));
	for (int i = 0; i < 6; i++)
		pthread_join(t[i], NULL);
	sem_getvalue(&credits, &v);
	assert(v == 0 && made == 6 && taken == 6 && at == 9);
	sem_getvalue(&turn[0], &v);
	assert(v == 1);
	sem_close(named);
	puts("ok");
	return 0;
}
