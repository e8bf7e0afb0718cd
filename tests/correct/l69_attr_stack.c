/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the attribute object is changed and read under a lock */
#define GUARDED
#include "hand.h"
static pthread_attr_t t;
static void init(void)
{
	pthread_attr_init(&t);
}
static void set(void)
{
	pthread_attr_setstacksize(&t, 1 << 20);
}
static int seen(void)
{
	size_t n;
	pthread_attr_getstacksize(&t, &n);
	return n == 1 << 20;
}
