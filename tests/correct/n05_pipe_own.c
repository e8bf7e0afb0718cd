/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the flag reaches the branch through a pipe of the thread's own */
#include "flow.h"
static int flow(int v)
{
	int f[2], r = 0;
	if (pipe(f) || write(f[1], &v, sizeof v) != sizeof v || read(f[0], &r, sizeof r) != sizeof r)
		abort();
	close(f[0]);
	close(f[1]);
	return r;
}
