/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the handler runs in the thread that has the counter to itself */
#include "correct.h"
#include <signal.h>
static volatile sig_atomic_t own;
static atomic_int stop;
static void handler(int s)
{
	(void)s;
	own++;
}
T(w)
{
	while (!atomic_load(&stop))
		usleep(100);
	own += 100;
	return a;
}
int main(void)
{
	pthread_t x;
	struct sigaction s = {.sa_handler = handler};
	sigaction(SIGUSR1, &s, 0);
	GO(x, w, 0);
	for (int i = 0; i < 3; i++) {
		pthread_kill(x, SIGUSR1);
		usleep(200);
	}
	atomic_store(&stop, 1);
	WAIT(x);
	printf("%d\n", own > 100);
	return 0;
}
