/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: system makes the file after the data are written */
#include "hand.h"
static void init(void)
{
}
static void set(void)
{
	if (system(": > made"))
		abort();
}
static int seen(void)
{
	return access("made", F_OK) == 0;
}
