/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the handler is installed after the data are written */
#include "hand.h"
#include <signal.h>
static void h(int s)
{
	(void)s;
}
static void init(void)
{
}
static void set(void)
{
	sigaction(SIGUSR1, &(struct sigaction){.sa_handler = h}, 0);
}
static int seen(void)
{
	struct sigaction o;
	sigaction(SIGUSR1, 0, &o);
	return o.sa_handler == h;
}
