/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static atomic_int f;
static int d;
T(w)
{
	d = 5;
	J();
	atomic_store(&f, 1);
	while (atomic_load(&f) != 2)
		sched_yield();
	d++;
	return 0;
}
int main()
{
	pthread_t x;
	GO(x, w, 0);
	while (!atomic_load(&f))
		sched_yield();
	d++;
	atomic_store(&f, 2);
	WAIT(x);
	printf("%d\n", d);
	return 0;
}
