/* norn-test
 * silent: -lm
 * unjudged:
 */
/* Correct: the flag reaches the branch as errno of log */
#include "flow.h"
#include <math.h>
static int flow(int v)
{
	volatile double r;
	errno = 0;
	r = log(v ? -1.0 : 2.0);
	(void)r;
	return errno == EDOM;
}
