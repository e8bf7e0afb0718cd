/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the descriptor's flag is set after the data are written */
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
	fcntl(f[0], F_SETFL, O_NONBLOCK);
}
static int seen(void)
{
	return (fcntl(f[0], F_GETFL) & O_NONBLOCK) != 0;
}
