/* norn-test
 * silent:
 * unjudged:
 */
/* Norn said, falsely (5becc41): -O0, -O2: race d, race *p predicted: write into a pipe, ioctl(FIONREAD) of another thread.
 * Correct: there is something in the pipe after the data are written */
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
