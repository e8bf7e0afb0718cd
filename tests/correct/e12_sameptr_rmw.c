/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* exchange of equal pointers: lock word holds the same pointer always */
static int tok;
static _Atomic(int *) l = &tok;
static int d;
T(w)
{
	for (int k = 0; k < 3; k++) {
		int *p;
		while (!(p = atomic_exchange(&l, 0)))
			sched_yield();
		++*p;
		d++;
		atomic_store(&l, p);
	}
	return 0;
}
int main()
{
	pthread_t x, y;
	GO(x, w, 0);
	GO(y, w, 0);
	WAIT(x);
	WAIT(y);
	return d != 6;
}
