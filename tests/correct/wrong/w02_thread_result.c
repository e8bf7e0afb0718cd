/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: -DRETURN settle.o
 * cc: -DSEQLOCK settle.o
 * check: --model $SRC/../settle.model
 * finding: ^race (x|data\[.*\]) predicted
 * silent: -DRETURN -DFIXED settle.o
 * silent: -DSEQLOCK -DFIXED settle.o
 */
/* Wrong, and what the threads return comes from what they read; nobody takes it. RETURN: an early return is chosen by what was read under the lock.
 * SEQLOCK: the data of a sequence lock are plain memory. Right: the result is taken and decides; atomic data. */
#include "alone.h"
#include <stdatomic.h>
#ifdef RETURN
MUTEX(m);
static int g, x;
T(first)
{
	L(m);
	g = 1;
	U(m);
	WRONG(x = 1;)
	L(m);
	g = 2;
	RIGHT(x = 1;)
	U(m);
	return 0;
}
T(second)
{
	L(m);
	int v = g;
	RIGHT(x = 2;)
	U(m);
	if (v > 20)
		return 0;
	WRONG(x = 2;)
	return 0;
}
#else
static int data[8];
static atomic_int seq;
T(first)
{
	for (int k = 1; k < 20; k++) {
		atomic_fetch_add(&seq, 1);
		WRONG(data[k % 8] = k;)
		RIGHT(__atomic_store_n(&data[k % 8], k, __ATOMIC_RELAXED);)
		atomic_fetch_add(&seq, 1);
	}
	return 0;
}
T(second)
{
	int s = 0;
	for (int k = 0; k < 20; k++) {
		int b = atomic_load(&seq);
		if (b & 1)
			continue;
		WRONG(s += data[k % 8];)
		RIGHT(s += __atomic_load_n(&data[k % 8], __ATOMIC_RELAXED);)
		if (atomic_load(&seq) != b)
			s = 0;
	}
	return (void *)(intptr_t)s;
}
#endif
int main(void)
{
	pthread_t t, u;
	GO(t, first, 0);
	settle();
	GO(u, second, 0);
	WAIT(t);
	WAIT(u);
	return 0;
}
