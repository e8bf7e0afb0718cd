/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the flag reaches the branch through inline assembly */
#include "flow.h"
static int flow(int v)
{
	long r;
	__asm__("movslq %1, %0\n\tleaq 5(%0), %0" : "=r"(r) : "r"(v));
	return r == 6;
}
