/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the signal's disposition, asked for by signal() itself under a lock */
#define GUARDED
#include "hand.h"
#include <signal.h>
static void init(void)
{
	signal(SIGUSR1, SIG_DFL);
}
static void set(void)
{
	signal(SIGUSR1, SIG_IGN);
}
static int seen(void)
{
	struct sigaction s;
	sigaction(SIGUSR1, 0, &s);
	return s.sa_handler == SIG_IGN;
}
