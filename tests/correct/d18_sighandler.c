/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
#include <signal.h>
static sem_t s;
static int d;
static void hn(int x)
{
	sem_post(&s);
}
T(w)
{
	sem_wait(&s);
	d++;
	return 0;
}
int main()
{
	pthread_t x;
	sem_init(&s, 0, 0);
	signal(SIGUSR1, hn);
	GO(x, w, 0);
	d = 1;
	raise(SIGUSR1);
	WAIT(x);
	return d != 2;
}
