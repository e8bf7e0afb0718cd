/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the timer runs after the data are written */
#include "hand.h"
#include <sys/time.h>
static void init(void)
{
}
static void set(void)
{
	alarm(1000);
}
static int seen(void)
{
	struct itimerval v;
	getitimer(ITIMER_REAL, &v);
	return v.it_value.tv_sec > 0;
}
