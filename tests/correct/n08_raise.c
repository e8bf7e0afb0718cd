/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the flag reaches the branch through a signal's handler */
#include "flow.h"
#include <signal.h>
static _Thread_local volatile sig_atomic_t got;
static void h(int s)
{
	got = s;
}
static int flow(int v)
{
	signal(SIGUSR1, h);
	signal(SIGUSR2, h);
	raise(v ? SIGUSR1 : SIGUSR2);
	return got == SIGUSR1;
}
