/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the flag reaches the branch as a jump of asm goto */
#include "flow.h"
static int flow(int v)
{
	__asm__ goto("testl %0, %0\n\tjnz %l1" : : "r"(v) : "cc" : yes);
	return 0;
yes:
	return 1;
}
