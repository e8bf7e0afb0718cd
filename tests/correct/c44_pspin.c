/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static pthread_spinlock_t s;
static int d;
T(w)
{
	for (int k = 0; k < 3; k++) {
		if (k == 1) {
			while (pthread_spin_trylock(&s))
				sched_yield();
		} else
			pthread_spin_lock(&s);
		d++;
		pthread_spin_unlock(&s);
		J();
	}
	return 0;
}
int main()
{
	pthread_t x, y;
	pthread_spin_init(&s, 0);
	GO(x, w, 0);
	GO(y, w, 0);
	WAIT(x);
	WAIT(y);
	pthread_spin_destroy(&s);
	return d != 6;
}
