/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the flag reaches the branch as the thread's signal mask */
#include "flow.h"
#include <signal.h>
static int flow(int v)
{
	sigset_t s, o;
	sigemptyset(&s);
	sigaddset(&s, SIGUSR1);
	pthread_sigmask(v ? SIG_BLOCK : SIG_UNBLOCK, &s, 0);
	pthread_sigmask(SIG_BLOCK, 0, &o);
	return sigismember(&o, SIGUSR1);
}
