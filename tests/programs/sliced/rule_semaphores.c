/* norn-test
 * errors: yes
 * schedule: abc
 * cc: -DPLACES
 * cc: -DTOKENS
 * cc: -DTRYWAIT
 * cc: -DTRYLOCK
 * cc: -DANY_POST
 * cc: -DMADE
 * cc: -DEMPTY_CHILD
 * finding: ^race y\b.* (predicted|observed)
 * finding-count: 1
 * silent: -DPLACES -DRIGHT
 * silent: -DTOKENS -DRIGHT
 * silent: -DTRYWAIT -DRIGHT
 * silent: -DTRYLOCK -DRIGHT
 * silent: -DANY_POST -DRIGHT
 * silent: -DMADE -DRIGHT
 * silent: -DEMPTY_CHILD -DRIGHT
 */
/* S2, S10, S11, S13, S14: a semaphore is a counter, so regions that it guards may change places (PLACES), with two tokens be open at once (TOKENS), and a wait needs something to take, not the
 * post that it was (ANY_POST). A try that failed tells that something was taken, by any thread (TRYWAIT, TRYLOCK). A lock that is made and destroyed in between (MADE) and the join of a
 * thread that did nothing (EMPTY_CHILD) order nothing else. */
#include <semaphore.h>

#include "cast.h"

static sem_t s;
static pthread_mutex_t L = PTHREAD_MUTEX_INITIALIZER;
int y, x;

static void *nothing(void *unused)
{
	return unused;
}

static void one_of(void)
{
	sem_wait(&s);
	x++;
	sem_post(&s);
}

static void made_lock(void)
{
	pthread_mutex_t own;
	pthread_mutex_init(&own, NULL);
	pthread_mutex_lock(&own);
	pthread_mutex_unlock(&own);
	pthread_mutex_destroy(&own);
}

static void child(void)
{
	pthread_t thread;
	if (pthread_create(&thread, NULL, nothing, NULL) == 0)
		pthread_join(thread, NULL);
}

static void *one(void *unused)
{
	gate('a');
#ifdef PLACES
#ifdef RIGHT
	sem_wait(&s);
	y = 1;
	sem_post(&s);
#else
	y = 1;
	one_of();
#endif
#elif defined(TOKENS)
	sem_wait(&s);
	y = 1;
	sem_post(&s);
#elif defined(TRYWAIT)
#ifdef RIGHT
	y = 1;
#endif
	sem_wait(&s);
	gate_leave();
	gate('c');
#ifndef RIGHT
	y = 1;
#endif
	sem_post(&s);
#elif defined(TRYLOCK)
#ifdef RIGHT
	y = 1;
#endif
	pthread_mutex_lock(&L);
	gate_leave();
	gate('c');
#ifndef RIGHT
	y = 1;
#endif
	pthread_mutex_unlock(&L);
#elif defined(ANY_POST)
	y = 1;
	sem_post(&s);
#elif defined(MADE) || defined(EMPTY_CHILD)
	y = 1;
#ifdef MADE
	made_lock();
#else
	child();
#endif
#ifdef RIGHT
	sem_post(&s);
#else
	pthread_mutex_lock(&L);
	x++;
	pthread_mutex_unlock(&L);
#endif
#endif
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
#ifdef PLACES
#ifdef RIGHT
	sem_wait(&s);
	y = 2;
	sem_post(&s);
#else
	one_of();
	y = 2;
#endif
#elif defined(TOKENS)
	sem_wait(&s);
	y = 2;
	sem_post(&s);
#elif defined(TRYWAIT)
	if (sem_trywait(&s) != 0)
		y = 2;
	else
		sem_post(&s);
#elif defined(TRYLOCK)
	if (pthread_mutex_trylock(&L) != 0)
		y = 2;
	else
		pthread_mutex_unlock(&L);
#elif defined(ANY_POST)
	sem_wait(&s);
#ifdef RIGHT
	sem_wait(&s);
#endif
	y = 2;
#elif defined(MADE) || defined(EMPTY_CHILD)
#ifdef RIGHT
	sem_wait(&s);
#else
	pthread_mutex_lock(&L);
	x++;
	pthread_mutex_unlock(&L);
#endif
#ifdef MADE
	made_lock();
#else
	child();
#endif
	y = 2;
#endif
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
#if defined(PLACES) || defined(TRYWAIT) || (defined(TOKENS) && defined(RIGHT)) || defined(ANY_POST)
	sem_init(&s, 0, 1);
#elif defined(TOKENS)
	sem_init(&s, 0, 2);
#else
	sem_init(&s, 0, 0);
#endif
	return argc < 2 || play(argv, one, two, NULL);
}
