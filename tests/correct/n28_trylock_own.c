/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the flag reaches the branch as the state of a lock of the thread's own */
#include "flow.h"
static int flow(int v)
{
	pthread_mutexattr_t t;
	pthread_mutex_t q;
	pthread_mutexattr_init(&t);
	pthread_mutexattr_settype(&t, v ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&q, &t);
	pthread_mutex_lock(&q);
	int r = pthread_mutex_lock(&q);
	if (!r)
		pthread_mutex_unlock(&q);
	pthread_mutex_unlock(&q);
	return r == 0;
}
