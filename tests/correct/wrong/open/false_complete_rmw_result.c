/* norn cc -g -O1 -pthread false_complete_rmw_result.c -o w && norn run ./w      (-O0, -O1, -O2: every recording)
 * reported: 0 findings; complete.
 * should be: assertion fails: abort() (main/2's fetch_add reads 1: it comes between main/1's two). "Am I alone?" by the
 * result of the read-modify-write itself is a very common check:
 * `if (atomic_fetch_add(&owner, 1)) abort();`, `assert(atomic_fetch_add(&n, 1) == 0)`, `if (atomic_exchange(&busy, 1))
 * abort();` - none of the three is ever predicted.
 * With a plain `owner++` under a lock it is.
 * cause (guess): the operand of the condition is the read of a read-modify-write, not a load; only loads are tried with
 * other writes.
 * In a realistic place: z_pool8 (an object pool of 8 threads, in-use bits tested in one region and set in the next,
 * ownership checked by fetch_add): 0 findings, complete, 9 of 9. */

#include "lucky.h"

MX(m);
static int used, o;
static atomic_int owner;
T(w)
{
	if (atomic_fetch_add(&owner, 1))
		abort();
	atomic_fetch_sub(&owner, 1);
	return 0;
}
int main(void)
{
	pthread_t a, b;
	GO(a, w, 0);
	nap(20);
	GO(b, w, 0);
	WAIT(a);
	WAIT(b);
	return 0;
}
