/* norn-test
 * silent:
 * unjudged:
 */
/* Norn said, falsely (1ef9590 to 5becc41): -O0 to -O2: race d, race *p predicted: an atomic store into a mapped page, pread of the file.
 * Correct: the kernel reads the mapped page for pread, after the flag is set there */
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
	atomic_store(q, 9);
}
static int seen(void)
{
	int v;
	return pread(f, &v, sizeof v, 0) == sizeof v && v == 9;
}
