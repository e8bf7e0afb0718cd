/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the mutex made of the attributes is recursive once they say so; all under a lock */
#define GUARDED
#include "hand.h"
static pthread_mutexattr_t t;
static void init(void)
{
	pthread_mutexattr_init(&t);
	pthread_mutexattr_settype(&t, PTHREAD_MUTEX_ERRORCHECK);
}
static void set(void)
{
	pthread_mutexattr_settype(&t, PTHREAD_MUTEX_RECURSIVE);
}
static int seen(void)
{
	pthread_mutex_t q;
	pthread_mutex_init(&q, &t);
	pthread_mutex_lock(&q);
	int r = pthread_mutex_trylock(&q) == 0;
	if (r)
		pthread_mutex_unlock(&q);
	pthread_mutex_unlock(&q);
	pthread_mutex_destroy(&q);
	return r;
}
