/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the flag reaches the branch as errno of strtol, which is set only if the number is too large */
#include "flow.h"
static int flow(int v)
{
	errno = 0;
	(void)!strtol(v ? "99999999999999999999999" : "12", 0, 10);
	return errno == ERANGE;
}
