/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the handler writes the data and posts; another thread waits for it */
#include "correct.h"
#include <signal.h>
static sem_t s;
static int d;
static void handler(int n)
{
	d = n;
	sem_post(&s);
}
T(w)
{
	while (sem_wait(&s))
		;
	d++;
	return a;
}
int main(void)
{
	pthread_t x;
	struct sigaction act = {.sa_handler = handler};
	sem_init(&s, 0, 0);
	sigaction(SIGUSR2, &act, 0);
	GO(x, w, 0);
	J();
	pthread_kill(pthread_self(), SIGUSR2);
	WAIT(x);
	printf("%d\n", d == SIGUSR2 + 1);
	return 0;
}
