/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: two mappings of one page: the flag is set through one and read through the other, by atomics */
#include "hand.h"
#include <sys/mman.h>
static atomic_int *f1, *f2;
static void init(void)
{
	int f = memfd_create("m", 0);
	if (ftruncate(f, 4096))
		abort();
	f1 = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0);
	f2 = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0);
}
static void set(void)
{
	atomic_store_explicit(f1, 1, memory_order_release);
}
static int seen(void)
{
	return atomic_load_explicit(f2, memory_order_acquire);
}
