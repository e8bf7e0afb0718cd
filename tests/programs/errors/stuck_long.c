/* norn-test
 * errors: yes
 * cc: -O1 -DLOST
 * cc: -O1 -DCOUNT
 * schedule: ab
 * finding: ^deadlock .* predicted
 * finding-count: 1
 * silent: -O1 -DLOST -DFLAG
 * silent: -O1 -DCOUNT -DRIGHT
 * unjudged: -DRIGHT
 */
/* Threads that wait for ever (S17), with more events between the wait and the ends of all threads than must-order looks at: the order of S18 is enough.
 * That there is none it cannot say. */
#include <semaphore.h>
#include <stdbool.h>

#include "../sliced/cast.h"

#define ROUNDS 15000u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t left;
static bool ready;
static unsigned long sum;

static void work(void)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&other);
		sum += i;
		pthread_mutex_unlock(&other);
	}
}

#ifdef LOST
/* The notify may come before the wait: nothing tells that it came. FLAG does. */
static void *first(void *unused)
{
	gate('a');
	pthread_mutex_lock(&lock);
#ifdef FLAG
	while (!ready)
#endif
	{
		gate_leave();
		pthread_cond_wait(&changed, &lock);
	}
	pthread_mutex_unlock(&lock);
	work();
	return unused;
}

static void *second(void *unused)
{
	gate('b');
	pthread_mutex_lock(&lock);
	ready = true;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	gate_leave();
	work();
	return unused;
}
#else
/* Each takes two, one after the other, and there are two; RIGHT: three. */
static void *first(void *unused)
{
	gate(unused ? 'b' : 'a');
	sem_wait(&left);
	sem_wait(&left);
	sem_post(&left);
	sem_post(&left);
	gate_leave();
	work();
	return unused;
}

static void *second(void *unused)
{
	return first(&ready);
}
#endif

int main(int argc, char **argv)
{
#ifdef RIGHT
	sem_init(&left, 0, 3);
#else
	sem_init(&left, 0, 2);
#endif
	return argc < 2 ? 1 : play(argv, first, second, NULL);
}
