/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* one permit: winner of trywait inits and never gives back; losers wait on an atomic */
static sem_t s;
static atomic_int r;
static int d;
T(w)
{
	if (sem_trywait(&s) == 0) {
		d = 1;
		J();
		r = 1;
	} else {
		while (!r)
			sched_yield();
		if (d != 1)
			abort();
	}
	return 0;
}
int main()
{
	pthread_t t[3];
	sem_init(&s, 0, 1);
	for (int i = 0; i < 3; i++)
		GO(t[i], w, 0);
	for (int i = 0; i < 3; i++)
		WAIT(t[i]);
	return 0;
}
