/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the flag reaches the branch as thread-specific data */
#include "flow.h"
static pthread_key_t k;
static pthread_once_t o = PTHREAD_ONCE_INIT;
static void make(void)
{
	pthread_key_create(&k, 0);
}
static int flow(int v)
{
	pthread_once(&o, make);
	pthread_setspecific(k, (void *)(intptr_t)v);
	return pthread_getspecific(k) != 0;
}
