/* norn-test
 * errors: yes
 * cc: -O1
 * finding: ^race d
 */
/* Wrong: the data are written after the sign is given */
#define LATE
#include "../hand.h"
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
