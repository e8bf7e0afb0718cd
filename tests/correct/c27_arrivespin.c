/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static atomic_int n;
static int d[3];
T(w)
{
	long i = (long)a;
	d[i] = i;
	atomic_fetch_add(&n, 1);
	while (atomic_load(&n) < 3)
		sched_yield();
	return (void *)(intptr_t)(d[0] + d[1] + d[2]);
}
int main()
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		GO(t[i], w, i);
	for (int i = 0; i < 3; i++)
		WAIT(t[i]);
	return 0;
}
