/* norn-test
 * errors: yes
 * cc: -DSEMAPHORE
 * cc: -DMUTEX
 * finding: ^race value\b
 * never-finding: ^race [^v]
 * silent: -DSEMAPHORE -DRIGHT
 * silent: -DMUTEX -DRIGHT
 * unjudged: -DRIGHT
 */
/* Two threads write in turn, a thousand times; only the last time neither waits for the other. */
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdlib.h>

#define ROUNDS 1000
static int value;

#ifdef SEMAPHORE
static sem_t turns[2];

static void begin(int mine)
{
	while (sem_wait(&turns[mine]) != 0)
		;
}

static void end(int mine)
{
	sem_post(&turns[!mine]);
}
#else
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn;

static void begin(int mine)
{
	pthread_mutex_lock(&lock);
	while (turn != mine)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

static void end(int mine)
{
	pthread_mutex_lock(&lock);
	turn = !mine;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}
#endif

static bool waits(int round)
{
#ifdef RIGHT
	return true;
#else
	return round < ROUNDS - 1;
#endif
}

static void *give(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		if (waits(i))
			begin(0);
		value = i;
		if (waits(i))
			end(0);
	}
	return unused;
}

static void *take(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		if (waits(i))
			begin(1);
		value = -i;
		if (waits(i))
			end(1);
	}
	return unused;
}

int main(void)
{
	pthread_t first, second;
#ifdef SEMAPHORE
	sem_init(&turns[0], 0, 1);
	sem_init(&turns[1], 0, 0);
#endif
	if (pthread_create(&first, NULL, give, NULL) || pthread_create(&second, NULL, take, NULL))
		abort();
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	return 0;
}
