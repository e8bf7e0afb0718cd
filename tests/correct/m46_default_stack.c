/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the default attributes are changed after the data are written */
#include "hand.h"
static pthread_attr_t t;
static void init(void)
{
	pthread_attr_init(&t);
	pthread_attr_setstacksize(&t, 3 << 20);
}
static void set(void)
{
	pthread_setattr_default_np(&t);
}
static int seen(void)
{
	pthread_attr_t q;
	size_t n;
	pthread_getattr_default_np(&q);
	pthread_attr_getstacksize(&q, &n);
	pthread_attr_destroy(&q);
	return n == 3 << 20;
}
