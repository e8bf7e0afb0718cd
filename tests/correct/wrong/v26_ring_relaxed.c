/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^race ring\[\] observed
 * silent: -DFIXED settle.o
 */
/* Wrong: a ring's head is stored relaxed */
#include "alone.h"
#define N 8
static int ring[N];
static atomic_uint head, tail;
T(p)
{
	for (unsigned i = 0; i < 30; i++) {
		while (i - atomic_load_explicit(&tail, memory_order_acquire) >= N)
			sched_yield();
		ring[i % N] = (int)i;
		atomic_store_explicit(&head, i + 1, WRONG(memory_order_relaxed) RIGHT(memory_order_release));
	}
	return 0;
}
T(c)
{
	int s = 0;
	for (unsigned i = 0; i < 30; i++) {
		while (atomic_load_explicit(&head, memory_order_acquire) == i)
			sched_yield();
		s += ring[i % N];
		atomic_store_explicit(&tail, i + 1, memory_order_release);
	}
	return (void *)(intptr_t)s;
}
int main(void)
{
	pthread_t a, b;
	GO(a, p, 0);
	GO(b, c, 0);
	WAIT(a);
	WAIT(b);
	return 0;
}
