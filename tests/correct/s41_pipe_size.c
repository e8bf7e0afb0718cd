/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the size of a pipe tells that the data are there */
#include "hand.h"
#include <fcntl.h>
static int f[2];
static void init(void)
{
	if (pipe(f))
		abort();
}
static void set(void)
{
	if (fcntl(f[1], F_SETPIPE_SZ, 4096) < 0)
		abort();
}
static int seen(void)
{
	return fcntl(f[0], F_GETPIPE_SZ) == 4096;
}
