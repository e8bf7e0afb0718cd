/* norn-test
 * silent: -lm
 * unjudged:
 */
/* Correct: the sign that lgamma leaves in a variable decides; one thread alone calls it */
#include "flow.h"
#include <math.h>
static int flow(int v)
{
	volatile double r = lgamma(v ? -0.5 : 0.5);
	(void)r;
	return signgam < 0;
}
