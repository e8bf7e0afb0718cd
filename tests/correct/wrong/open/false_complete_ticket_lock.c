/* A ticket lock (two threads that swap their tickets: each loop's test comes out
 * the same). 0 findings; complete; -O1, every recording. Should be: race on x. */

#include "lucky.h"

static atomic_int nx, sv;
static int x, y;
T(w1)
{
	x = 1;
	{
		int me = atomic_fetch_add(&nx, 1);
		while (atomic_load(&sv) != me)
			sched_yield();
		y++;
		atomic_fetch_add(&sv, 1);
	}
	return 0;
}
T(w2)
{
	{
		int me = atomic_fetch_add(&nx, 1);
		while (atomic_load(&sv) != me)
			sched_yield();
		y++;
		atomic_fetch_add(&sv, 1);
	}
	x = 2;
	return 0;
}
int main(void)
{
	pthread_t a, b;
	GO(a, w1, 0);
	nap(12);
	GO(b, w2, 0);
	WAIT(a);
	WAIT(b);
	return 0;
}
