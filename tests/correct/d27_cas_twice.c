/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* state machine 0->1->2->0 by CAS, states recur; owner of state may touch d */
static atomic_int st;
static int d;
T(w)
{
	long i = (long)a;
	for (int k = 0; k < 3; k++) {
		while (atomic_load(&st) != i)
			sched_yield();
		d += i;
		atomic_store(&st, (i + 1) % 3);
	}
	return 0;
}
int main()
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		GO(t[i], w, i);
	for (int i = 0; i < 3; i++)
		WAIT(t[i]);
	return d != 9;
}
