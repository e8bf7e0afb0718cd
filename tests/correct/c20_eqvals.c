/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static atomic_int f, k;
static int x;
T(B)
{
	while (f != 1)
		sched_yield();
	k = 1;
	while (f != 0)
		sched_yield();
	k = 2;
	while (f != 1)
		sched_yield();
	x++;
	return 0;
}
int main()
{
	pthread_t t;
	GO(t, B, 0);
	x = 1;
	f = 1;
	while (k != 1)
		sched_yield();
	f = 0;
	while (k != 2)
		sched_yield();
	x = 2;
	f = 1;
	WAIT(t);
	return x != 3;
}
