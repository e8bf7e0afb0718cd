/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^race x observed
 * silent: -DFIXED settle.o
 */
/* Wrong: the lock is given back by a relaxed store */
#include "alone.h"
static atomic_uint next_, serving;
static int x;
static void lock(void)
{
	unsigned t = atomic_fetch_add_explicit(&next_, 1, memory_order_relaxed);
	while (atomic_load_explicit(&serving, memory_order_acquire) != t)
		sched_yield();
}
static void unlock(void)
{
	unsigned s = atomic_load_explicit(&serving, memory_order_relaxed);
	atomic_store_explicit(&serving, s + 1, WRONG(memory_order_relaxed) RIGHT(memory_order_release));
}
T(w)
{
	for (int i = 0; i < 10; i++) {
		lock();
		x++;
		unlock();
	}
	return 0;
}
int main(void)
{
	pthread_t a, b;
	GO(a, w, 0);
	settle();
	GO(b, w, 0);
	WAIT(a);
	WAIT(b);
	return x != 20;
}
