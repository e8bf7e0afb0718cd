/* norn-test
 * errors: yes
 * cc: -O1 -lm
 * finding: ^race d
 */
/* Wrong: the data are written after the flag */
#define LATE
#include "../flow.h"
#include <math.h>
static int flow(int v)
{
	volatile double r;
	errno = 0;
	r = log(v ? -1.0 : 2.0);
	(void)r;
	return errno == EDOM;
}
