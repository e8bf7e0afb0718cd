/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the kernel writes the mapped page for pwrite, which an atomic read sees then */
#include "hand.h"
#include <sys/mman.h>
static atomic_int *q;
static int f;
static void init(void)
{
	f = memfd_create("m", 0);
	if (ftruncate(f, 4096))
		abort();
	q = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0);
}
static void set(void)
{
	int v = 9;
	if (pwrite(f, &v, sizeof v, 0) != sizeof v)
		abort();
}
static int seen(void)
{
	return atomic_load(q) == 9;
}
