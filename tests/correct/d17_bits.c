/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static atomic_int f;
static int d[2];
T(w)
{
	long i = (long)a;
	J();
	d[i] = 1;
	atomic_fetch_or(&f, 1 << i);
	return 0;
}
int main()
{
	pthread_t x, y;
	GO(x, w, 0);
	GO(y, w, 1);
	while (!(f & 1))
		sched_yield();
	d[0]++;
	while (!(f & 2))
		sched_yield();
	d[1]++;
	WAIT(x);
	WAIT(y);
	return 0;
}
