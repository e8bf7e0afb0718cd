/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: select sees the end of the pipe after the data are written */
#include "hand.h"
#include <sys/select.h>
static int f[2];
static void init(void)
{
	if (pipe(f))
		abort();
}
static void set(void)
{
	close(f[1]);
}
static int seen(void)
{
	fd_set s;
	FD_ZERO(&s);
	FD_SET(f[0], &s);
	struct timeval t = {0, 1000};
	return select(f[0] + 1, &s, 0, 0, &t) == 1;
}
