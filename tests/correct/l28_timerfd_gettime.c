/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the timer is set after the data are written */
#include "hand.h"
#include <sys/timerfd.h>
static int t;
static void init(void)
{
	t = timerfd_create(CLOCK_MONOTONIC, 0);
}
static void set(void)
{
	timerfd_settime(t, 0, &(struct itimerspec){.it_value = {1000, 0}}, 0);
}
static int seen(void)
{
	struct itimerspec s;
	timerfd_gettime(t, &s);
	return s.it_value.tv_sec > 0;
}
