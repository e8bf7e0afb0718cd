/* norn-test
 * errors: yes
 * cc: -O1 -lm
 * finding: ^race d
 */
/* Wrong: the data are written after the sign is given */
#define LATE
#include "../flow.h"
#include <math.h>
static int flow(int v)
{
	volatile double r = lgamma(v ? -0.5 : 0.5);
	(void)r;
	return signgam < 0;
}
