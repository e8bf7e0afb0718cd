/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static atomic_int nx, sv;
static int d;
T(w)
{
	for (int i = 0; i < 3; i++) {
		int t = atomic_fetch_add(&nx, 1);
		while (atomic_load(&sv) != t)
			sched_yield();
		d++;
		J();
		atomic_fetch_add(&sv, 1);
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
