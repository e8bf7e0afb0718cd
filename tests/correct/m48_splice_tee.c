/* norn-test
 * silent:
 * unjudged:
 */
/* Norn said, falsely (1ef9590 to 5becc41): -O1: race d, race *p predicted: splice from one pipe to another.
 * Correct: the bytes go through two pipes in the kernel, after the data are written */
#include "hand.h"
#include <fcntl.h>
static int f[2], g[2];
static void init(void)
{
	if (pipe(f) || pipe(g))
		abort();
}
static void set(void)
{
	if (write(f[1], "go", 2) != 2 || splice(f[0], 0, g[1], 0, 2, 0) != 2)
		abort();
}
static int seen(void)
{
	char b[2] = "";
	return read(g[0], b, 2) == 2 && b[1] == 'o';
}
