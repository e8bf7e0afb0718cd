/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: both numbers of a pipe are its owner's */
#include "slot.h"
static int other[1024];
static void init(void)
{
}
static int take(void)
{
	int f[2];
	if (pipe(f))
		abort();
	other[f[0]] = f[1];
	return f[0];
}
static void give(int n)
{
	close(other[n]);
	close(n);
}
