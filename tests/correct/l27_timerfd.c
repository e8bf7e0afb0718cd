/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the timer is set after the data are written, and read waits for it */
#include "hand.h"
#include <sys/timerfd.h>
static int t;
static void init(void)
{
	t = timerfd_create(CLOCK_MONOTONIC, 0);
}
static void set(void)
{
	timerfd_settime(t, 0, &(struct itimerspec){.it_value = {0, 1000}}, 0);
}
static int seen(void)
{
	uint64_t n;
	return read(t, &n, 8) == 8 && n == 1;
}
