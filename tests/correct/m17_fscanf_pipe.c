/* norn-test
 * silent:
 * unjudged:
 */
/* Norn said, falsely (1ef9590 to 5becc41): -O1: race d, race *p predicted: dprintf into a pipe, fscanf of it.
 * Correct: the number comes through the pipe after the data are written */
#include "hand.h"
static FILE *r;
static int f[2];
static void init(void)
{
	if (pipe(f))
		abort();
	r = fdopen(f[0], "r");
}
static void set(void)
{
	dprintf(f[1], "%d\n", 77);
}
static int seen(void)
{
	int v = 0;
	return fscanf(r, "%d", &v) == 1 && v == 77;
}
