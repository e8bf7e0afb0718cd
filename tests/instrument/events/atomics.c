/* Atomic accesses and their memory orders.
 *
 * EXPECT: read flag||_Atomic int 4 o2.0
 * EXPECT: write flag||_Atomic int 4 o3.0
 * EXPECT: read flag||_Atomic int 4 o1.0
 * EXPECT: write flag||_Atomic int 4 o5.0
 * EXPECT: rmw count||_Atomic long 8 o4.0
 * EXPECT: rmw count||_Atomic long 8 o5.1 s main:32 = 1
 * EXPECT: rmw count||_Atomic long 8 o2.1 s main:33 = 0
 * EXPECT: rmw box.lock|box.lock|_Atomic char 1 o5.0
 * COUNT 2: write wide||__int128 16
 * COUNT 1: read once||int 4 o0.0 sv
 * NEVER: local */
#include <stdatomic.h>

_Atomic int flag;
_Atomic long count;
struct box {
	int a;
	_Atomic char lock;
} box;
__int128 wide;
volatile int once;

int main(void)
{
	atomic_store_explicit(&flag, 1, memory_order_release);
	flag = 2;
	int sum = atomic_load_explicit(&flag, memory_order_acquire) + atomic_load_explicit(&flag, memory_order_relaxed);
	atomic_fetch_add_explicit(&count, 1, memory_order_acq_rel);
	long expected = 1;
	atomic_compare_exchange_strong_explicit(&count, &expected, 7, memory_order_seq_cst, memory_order_relaxed);
	atomic_compare_exchange_strong_explicit(&count, &expected, 7, memory_order_acquire, memory_order_relaxed);
	atomic_exchange(&box.lock, 1);
	wide = sum;
	_Atomic int local = 0;
	local++;
	return sum + once + local == -1;
}
