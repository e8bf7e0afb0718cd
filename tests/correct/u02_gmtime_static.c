/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: what gmtime keeps for its callers is read by the pointer that it gave long ago */
#define GUARDED
#include "hand.h"
static struct tm *kept;
static void init(void)
{
	time_t t = 0;
	kept = gmtime(&t);
}
static void set(void)
{
	time_t t = 86400 * 400;
	gmtime(&t);
}
static int seen(void)
{
	return kept->tm_year == 71 && kept->tm_yday > 2;
}
