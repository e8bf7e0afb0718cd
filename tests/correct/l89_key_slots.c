/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: a key's number is nobody else's until it is deleted */
#include "slot.h"
static void init(void)
{
}
static int take(void)
{
	pthread_key_t k;
	if (pthread_key_create(&k, 0))
		abort();
	return (int)k;
}
static void give(int n)
{
	pthread_key_delete((pthread_key_t)n);
}
