/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the flag reaches the branch as the end that strtol leaves */
#include "flow.h"
static int flow(int v)
{
	char b[] = "12x", *e;
	if (v)
		b[2] = '3';
	strtol(b, &e, 10);
	return *e == 0;
}
