/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* lock word takes equal values by both threads */
static atomic_int l;
static int d;
T(w)
{
	for (int k = 0; k < 3; k++) {
		int e = 0;
		while (!atomic_compare_exchange_weak(&l, &e, 1)) {
			e = 0;
			sched_yield();
		}
		d++;
		J();
		atomic_store(&l, 0);
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
	printf("%d\n", d);
	return 0;
}
