/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the attribute object is changed and used under a lock */
#define GUARDED
#include "hand.h"
static pthread_mutexattr_t t;
static void init(void)
{
	pthread_mutexattr_init(&t);
}
static void set(void)
{
	pthread_mutexattr_settype(&t, PTHREAD_MUTEX_RECURSIVE);
}
static int seen(void)
{
	int k;
	pthread_mutexattr_gettype(&t, &k);
	return k == PTHREAD_MUTEX_RECURSIVE;
}
