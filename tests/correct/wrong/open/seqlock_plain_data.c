/* norn cc -g -O1 -pthread seqlock_plain_data.c -o w && norn run ./w      (-O0, -O1, -O2: every recording)
 * reported: 0 findings; complete.
 * should be: race on data[]: a seqlock whose data is plain memory; the reader reads data between two loads of seq. The
 * reader's first load decides only (seq & 1) == 0, so 2 instead of 38 will do (V6);
 * its comparison with the second load comes after the racing read.
 * cause (guess): the read is also compared with a second load (`!=`, two loads: no test), so it must be as recorded,
 * though that comparison lies after the error. */

#include "lucky.h"

static int data[8];
static atomic_int seq;
T(w)
{
	for (int k = 1; k < 20; k++) {
		atomic_fetch_add_explicit(&seq, 1, W(memory_order_relaxed) F(memory_order_acq_rel));
		W(data[k % 8] = k;)
		F(__atomic_store_n(&data[k % 8], k, __ATOMIC_RELAXED);) atomic_fetch_add_explicit(&seq, 1, memory_order_release);
	}
	return 0;
} //@
T(r)
{
	int s = 0;
	for (int k = 0; k < 20; k++) {
		int b = atomic_load(&seq);
		if (b & 1)
			continue;
		W(s += data[k % 8];) F(s += __atomic_load_n(&data[k % 8], __ATOMIC_RELAXED);) if (atomic_load(&seq) != b) s = 0;
	}
	return (void *)(intptr_t)s;
} //@
int main(void)
{
	pthread_t a, b;
	GO(a, w, 0);
	nap(20);
	GO(b, r, 0);
	WAIT(a);
	WAIT(b);
	return 0;
}
