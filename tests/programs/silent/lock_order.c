/* norn-test
 * silent: -DGATE
 * silent: -DALONE
 * silent: -DJOINED
 * silent: -DTRY
 * silent: -DADDRESS
 * silent: -DHANDED
 */
/* Two locks in both orders, and yet no deadlock: behind a gate lock, by one thread only, one after the other, by a try, sorted by
 * address, or because the second thread waits until the first one is through. */
#include <sched.h>

#include "crew.h"

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER, locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t state = PTHREAD_MUTEX_INITIALIZER;
static int both, turn;

static void take(pthread_mutex_t *first, pthread_mutex_t *second)
{
#ifdef ADDRESS
	if (first > second) {
		pthread_mutex_t *swap = first;
		first = second;
		second = swap;
	}
#endif
#ifdef GATE
	pthread_mutex_lock(&gate);
#endif
	pthread_mutex_lock(first);
#ifdef TRY
	while (pthread_mutex_trylock(second) != 0) {
		pthread_mutex_unlock(first);
		sched_yield();
		pthread_mutex_lock(first);
	}
#else
	pthread_mutex_lock(second);
#endif
	both++;
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
#ifdef GATE
	pthread_mutex_unlock(&gate);
#endif
}

#ifdef HANDED
static int is_turn(void)
{
	pthread_mutex_lock(&state);
	int mine = turn;
	pthread_mutex_unlock(&state);
	return mine;
}
#endif

static void *work(void *argument)
{
	int me = number_of(argument);
#ifdef HANDED
	while (me == 1 && !is_turn())
		sched_yield();
#endif
	take(&locks[me], &locks[!me]);
#ifdef ALONE
	take(&locks[!me], &locks[me]);
#endif
#ifdef HANDED
	pthread_mutex_lock(&state);
	turn = 1;
	pthread_mutex_unlock(&state);
#endif
	return NULL;
}

int main(void)
{
#if defined(ALONE)
	crew(1, work);
#elif defined(JOINED)
	crew(1, work);
	work((void *)1);
#else
	crew(2, work);
#endif
	return both == 2 ? 0 : 1;
}
