/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: there is something in the pipe after the data are written */
#include "hand.h"
#include <sys/ioctl.h>
static int f[2];
static void init(void)
{
	if (pipe(f))
		abort();
}
static void set(void)
{
	if (write(f[1], "abc", 3) != 3)
		abort();
}
static int seen(void)
{
	int n = 0;
	ioctl(f[0], FIONREAD, &n);
	return n == 3;
}
