/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: dup gives a number that is free */
#include "slot.h"
static void init(void)
{
}
static int take(void)
{
	return dup(2);
}
static void give(int n)
{
	close(n);
}
