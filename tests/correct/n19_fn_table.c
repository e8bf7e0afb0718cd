/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the flag reaches the branch as a call through a table */
#include "flow.h"
static int no(void)
{
	return 0;
}
static int yes(void)
{
	return 1;
}
static int (*const volatile tab[])(void) = {no, yes};
static int flow(int v)
{
	return tab[v]();
}
