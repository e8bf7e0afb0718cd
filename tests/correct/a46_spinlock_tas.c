/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static atomic_flag f = ATOMIC_FLAG_INIT;
static int d;
T(w)
{
	for (int k = 0; k < 3; k++) {
		while (atomic_flag_test_and_set(&f))
			sched_yield();
		d++;
		J();
		atomic_flag_clear(&f);
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
