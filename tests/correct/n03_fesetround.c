/* norn-test
 * silent: -lm
 * unjudged:
 */
/* Correct: the flag reaches the branch as a rounding mode */
#include "flow.h"
#include <fenv.h>
#include <math.h>
static int flow(int v)
{
	static const int mode[2] = {FE_TONEAREST, FE_UPWARD};
	volatile double z = 2.1, r;
	fesetround(mode[v]);
	r = nearbyint(z);
	fesetround(FE_TONEAREST);
	return r > 2.5;
}
