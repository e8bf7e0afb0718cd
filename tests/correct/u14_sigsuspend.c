/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the signal is blocked but while the thread waits for it */
#include "correct.h"
#include <signal.h>
static volatile sig_atomic_t got;
static int d, *p;
static pthread_t main_thread;
static void on(int s)
{
	(void)s;
	got = 1;
}
T(giver)
{
	J();
	d = 41;
	*p = 1;
	pthread_kill(main_thread, SIGUSR1);
	return a;
}
int main(void)
{
	sigset_t s, old;
	pthread_t x;
	main_thread = pthread_self();
	p = malloc(16);
	signal(SIGUSR1, on);
	sigemptyset(&s);
	sigaddset(&s, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &s, &old);
	GO(x, giver, 0);
	while (!got)
		sigsuspend(&old);
	d++;
	int r = *p;
	free(p);
	WAIT(x);
	printf("%d %d\n", d, r);
	return d != 42;
}
