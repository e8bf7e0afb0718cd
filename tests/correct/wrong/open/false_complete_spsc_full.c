/* norn cc -g -O1 -pthread false_complete_spsc_full.c -o w && norn run ./w      (-O0, -O1, -O2: 15 of 15 recordings)
 * reported: 0 findings; complete.
 * should be: race on ring[]: the ring's "full" test is off by one, so the producer may write the slot that the consumer
 * reads. The recorded consumer keeps up. The producer's loads of tail may see
 * smaller values: `i - tail >= 5` comes out the same.
 * cause (guess): the test compares a load with a loop counter, which is no constant of the code (known in the run,
 * though): no test (V6); and another order is needed (must-order fixes by value).
 * Off-by-one in bounded rings is a standard case.
 * Same cause (a test against a loop counter): y_ring4 (two producers reserve slots by fetch_add and publish by a second
 * fetch_add; the consumer's `while (load(&pubd) <= i)`): race on the slot is found at -O2
 * (5 of 5; the loop is unrolled, so i is a constant), and not at -O0 and -O1: 0 findings, complete. */

#include "lucky.h"

/* the producer may write into the slot that is read: full is tested with one too many; the recorded consumer keeps up */
#define N 4
static int ring[N];
static atomic_uint head, tail;
T(p)
{
	for (unsigned i = 0; i < 12; i++) {
		while (i - atomic_load(&tail) >= N W(+1))
			sched_yield();
		ring[i % N] = (int)i;
		atomic_store(&head, i + 1);
		usleep(500);
	}
	return 0;
} //@
T(c)
{
	int s = 0;
	for (unsigned i = 0; i < 12; i++) {
		while (atomic_load(&head) == i)
			sched_yield();
		s += ring[i % N];
		atomic_store(&tail, i + 1);
	}
	return (void *)(intptr_t)s;
} //@
int main(void)
{
	pthread_t a, b;
	GO(b, c, 0);
	GO(a, p, 0);
	WAIT(a);
	WAIT(b);
	return 0;
}
