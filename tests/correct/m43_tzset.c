/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the time zone is set and used under a lock */
#define GUARDED
#include "hand.h"
static void init(void)
{
	setenv("TZ", "UTC0", 1);
	tzset();
}
static void set(void)
{
	setenv("TZ", "XXX-3", 1);
	tzset();
}
static int seen(void)
{
	time_t t = 0;
	struct tm r;
	localtime_r(&t, &r);
	return r.tm_hour == 3;
}
