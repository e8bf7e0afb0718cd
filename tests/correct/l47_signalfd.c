/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the signal is sent after the data are written, and read of the signalfd waits for it */
#include "hand.h"
#include <signal.h>
#include <sys/signalfd.h>
static int f;
static void init(void)
{
	sigset_t s;
	sigemptyset(&s);
	sigaddset(&s, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &s, 0);
	f = signalfd(-1, &s, 0);
}
static void set(void)
{
	kill(getpid(), SIGUSR2);
}
static int seen(void)
{
	struct signalfd_siginfo i;
	return read(f, &i, sizeof i) == sizeof i && i.ssi_signo == SIGUSR2;
}
