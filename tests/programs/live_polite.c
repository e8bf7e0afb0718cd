/* norn-test
 * cc: -g -O1 -pthread
 * cc: -g -O0 -pthread
 * prop: live_polite.prop
 * finding: liveness enters .*for ever.*potential
 * finding-count: 1
 */
/* Two who give way to each other, again and again: a livelock, which this run gets out of since one of them loses patience. They take turns by semaphores, so that
 * every run is the same. */
#include <pthread.h>
#include <semaphore.h>

int want[2], inside;
static sem_t turns[2];

static void step(int me)
{
	sem_wait(&turns[me]);
}

static void pass(int me)
{
	sem_post(&turns[1 - me]);
}

static void enter(int me)
{
	for (int tries = 0;; tries++) {
		step(me);
		want[me] = tries < 3 || me == 0;
		pass(me);
		step(me);
		int other = want[1 - me];
		if (!other)
			break;
		pass(me);
		step(me);
		want[me] = 0;
		pass(me);
	}
	inside = 1;
	inside = 0;
	want[me] = 0;
	pass(me);
}

static void *first(void *unused)
{
	enter(0);
	sem_post(&turns[1]);
	sem_post(&turns[1]);
	return unused;
}

static void *second(void *unused)
{
	enter(1);
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	sem_init(&turns[0], 0, 1);
	sem_init(&turns[1], 0, 0);
	pthread_create(&threads[0], 0, first, 0);
	pthread_create(&threads[1], 0, second, 0);
	pthread_join(threads[0], 0);
	pthread_join(threads[1], 0);
	return 0;
}
