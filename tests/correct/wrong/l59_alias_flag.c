/* norn-test
 * errors: yes
 * cc: -O1
 * misses: ^race d
 * unjudged:
 */
/* Wrong: the data are written after the sign is given */
#define LATE
#include "../hand.h"
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
