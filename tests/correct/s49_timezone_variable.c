/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: tzset writes variables that the program reads, under a lock */
#define GUARDED
#include "hand.h"
static void init(void)
{
	setenv("TZ", "UTC0", 1);
	tzset();
}
static void set(void)
{
	setenv("TZ", "ABC5", 1);
	tzset();
}
static int seen(void)
{
	return timezone == 5 * 3600;
}
