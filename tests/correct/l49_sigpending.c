/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the signal is pending only after the data are written */
#include "hand.h"
#include <signal.h>
static void init(void)
{
	sigset_t s;
	sigemptyset(&s);
	sigaddset(&s, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &s, 0);
}
static void set(void)
{
	kill(getpid(), SIGUSR2);
}
static int seen(void)
{
	sigset_t s;
	sigpending(&s);
	return sigismember(&s, SIGUSR2);
}
