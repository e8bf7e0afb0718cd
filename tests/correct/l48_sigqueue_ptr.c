/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the address comes with the signal, after what it points to is written */
#include "hand.h"
#include <signal.h>
static sigset_t s;
static int *job;
static void init(void)
{
	sigemptyset(&s);
	sigaddset(&s, SIGRTMIN + 1);
	pthread_sigmask(SIG_BLOCK, &s, 0);
	job = malloc(sizeof *job);
}
static void set(void)
{
	*job = 5;
	sigqueue(getpid(), SIGRTMIN + 1, (union sigval){.sival_ptr = job});
}
static int seen(void)
{
	siginfo_t i;
	struct timespec t = {0, 1000000};
	if (sigtimedwait(&s, &i, &t) < 0)
		return 0;
	int *j = i.si_value.sival_ptr;
	int n = *j;
	free(j);
	return n == 5;
}
