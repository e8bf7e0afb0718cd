/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* hazard pointer: one reader, one writer that swaps and frees when not protected */
static _Atomic(int *) cur, hz;
static atomic_int stop;
T(r)
{
	int s = 0;
	for (int k = 0; k < 4; k++) {
		int *p;
		do {
			p = atomic_load(&cur);
			atomic_store(&hz, p);
		} while (atomic_load(&cur) != p);
		s += *p;
		atomic_store(&hz, 0);
		J();
	}
	return (void *)(intptr_t)s;
}
T(w)
{
	for (int k = 0; k < 3; k++) {
		int *n = malloc(4);
		*n = k;
		int *o = atomic_exchange(&cur, n);
		while (atomic_load(&hz) == o)
			sched_yield();
		free(o);
		J();
	}
	return 0;
}
int main()
{
	pthread_t x, y;
	int *f = malloc(4);
	*f = 9;
	cur = f;
	GO(x, r, 0);
	GO(y, w, 0);
	WAIT(x);
	WAIT(y);
	free(cur);
	return 0;
}
