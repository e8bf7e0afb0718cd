/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the flag reaches the branch as the value of longjmp */
#include "flow.h"
#include <setjmp.h>
static int flow(int v)
{
	jmp_buf b;
	int r = setjmp(b);
	if (!r)
		longjmp(b, v + 1);
	return r == 2;
}
