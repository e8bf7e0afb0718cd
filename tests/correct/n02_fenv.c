/* norn-test
 * silent: -lm
 * unjudged:
 */
/* Correct: the flag reaches the branch as a floating-point exception */
#include "flow.h"
#include <fenv.h>
#include <math.h>
static int flow(int v)
{
	feclearexcept(FE_ALL_EXCEPT);
	if (v)
		feraiseexcept(FE_DIVBYZERO);
	return fetestexcept(FE_DIVBYZERO);
}
