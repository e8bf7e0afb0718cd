/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: functions of streams lock them; the end is reached after the data are written */
#include "hand.h"
static FILE *f;
static void init(void)
{
	f = fopen("/dev/null", "r");
}
static void set(void)
{
	(void)getc(f);
}
static int seen(void)
{
	return feof(f);
}
