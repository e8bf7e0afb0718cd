/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the flag reaches the branch as a date */
#include "flow.h"
static int flow(int v)
{
	struct tm t = {.tm_year = 100, .tm_mon = 1, .tm_mday = 28 + v};
	timegm(&t);
	return t.tm_mday == 29;
}
