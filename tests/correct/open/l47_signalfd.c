/* norn-test
 * silent:
 * unjudged:
 */
/* Norn said, falsely (1ef9590 to 5becc41): -O1: race d, race *p predicted: kill of one thread, read of a signalfd of another.
 * Correct: the signal is sent after the data are written, and read of the signalfd waits for it */
#include "../hand.h"
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
