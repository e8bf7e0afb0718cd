/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the cursor of strsep is in the program, and used under a lock */
#define GUARDED
#include "hand.h"
static char b[] = "a,b,c,d", *c = b;
static void init(void)
{
}
static void set(void)
{
	while (strsep(&c, ","))
		;
}
static int seen(void)
{
	return c == 0;
}
