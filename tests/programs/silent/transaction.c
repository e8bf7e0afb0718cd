/* norn-test
 * silent: -DVERSIONS
 * silent: -DSTATES
 */
/* A region that looks at a state under the lock, goes away, comes back and looks again; and a state machine whose states say who may
 * touch the buffer. */
#include <sched.h>

#include "crew.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#ifdef VERSIONS
static int version, value;

static void *work(void *unused)
{
	for (int i = 0; i < 5; i++)
		for (;;) {
			pthread_mutex_lock(&lock);
			int seen = version, old = value;
			pthread_mutex_unlock(&lock);
			int new = old + 1;
			pthread_mutex_lock(&lock);
			int fresh = version == seen;
			if (fresh) {
				value = new;
				version++;
			}
			pthread_mutex_unlock(&lock);
			if (fresh)
				break;
			sched_yield();
		}
	return unused;
}

int main(void)
{
	crew(2, work);
	return value == 10 ? 0 : 1;
}
#else
enum { EMPTY, FILLING, FULL, DRAINING } state;
static int buffer[3], sum;

static int go(int from, int to)
{
	pthread_mutex_lock(&lock);
	int went = state == from;
	if (went)
		state = to;
	pthread_mutex_unlock(&lock);
	return went;
}

static void *work(void *argument)
{
	int drains = number_of(argument);
	for (int i = 0; i < 3; i++) {
		while (!go(drains ? FULL : EMPTY, drains ? DRAINING : FILLING))
			sched_yield();
		for (int k = 0; k < 3; k++)
			if (drains)
				sum += buffer[k];
			else
				buffer[k] = i;
		go(drains ? DRAINING : FILLING, drains ? EMPTY : FULL);
	}
	return NULL;
}

int main(void)
{
	crew(2, work);
	return sum == 9 ? 0 : 1;
}
#endif
