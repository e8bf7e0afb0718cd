/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the signal is sent after the data are written, and sigwait waits for it */
#include "hand.h"
#include <signal.h>
static sigset_t s;
static void init(void)
{
	sigemptyset(&s);
	sigaddset(&s, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &s, 0);
}
static void set(void)
{
	kill(getpid(), SIGUSR1);
}
static int seen(void)
{
	int n = 0;
	return sigwait(&s, &n) == 0 && n == SIGUSR1;
}
