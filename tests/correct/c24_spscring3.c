/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static atomic_uint hd, tl;
static int q[3];
static int s;
T(p)
{
	for (int i = 0; i < 7; i++) {
		unsigned t = atomic_load(&tl);
		while (((t + 1) % 3) == atomic_load(&hd))
			sched_yield();
		q[t] = i;
		atomic_store(&tl, (t + 1) % 3);
	}
	return 0;
}
T(c)
{
	for (int i = 0; i < 7; i++) {
		unsigned h = atomic_load(&hd);
		while (h == atomic_load(&tl))
			sched_yield();
		s += q[h];
		q[h] = 0;
		atomic_store(&hd, (h + 1) % 3);
	}
	return 0;
}
int main()
{
	pthread_t x, y;
	GO(x, p, 0);
	GO(y, c, 1);
	WAIT(x);
	WAIT(y);
	return s != 21;
}
