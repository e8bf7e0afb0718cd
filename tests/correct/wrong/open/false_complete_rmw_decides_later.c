/* norn cc -g -O1 -pthread false_complete_rmw_decides_later.c -o w && norn run ./w      (every recording)
 * reported: 0 findings; complete.
 * should be: assertion fails: inuse <= 1 (where inuse is 2): main/2's fetch_add comes between main/1's fetch_add and its
 * load. main/2's fetch_add is the last event of main/2 that the error needs; that it
 * decides a branch after that (V1: "only those up to the last listed event of each thread") does not matter. One changed
 * load, one read-modify-write evaluated again.
 * cause (guess): section 15, V1: "a read that decides does so at once". Over-admission (count first, give back if too
 * many) is a standard error; in a realistic place: y_quota (4 threads, limit 3). */

#include "lucky.h"

static atomic_int inuse;
T(w)
{
	if (atomic_fetch_add(&inuse, 1) >= 1) {
		atomic_fetch_sub(&inuse, 1);
		return 0;
	}
	assert(atomic_load(&inuse) <= 1);
	atomic_fetch_sub(&inuse, 1);
	return 0;
}
int main(void)
{
	pthread_t a, b;
	GO(a, w, 0);
	nap(15);
	GO(b, w, 0);
	WAIT(a);
	WAIT(b);
	return 0;
}
