/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: MAP_FIXED_NOREPLACE gives a place to one thread only, until munmap */
#include "slot.h"
#include <sys/mman.h>
#define AT(n) ((void *)(0x200000000000 + ((uintptr_t)(n) << 16)))
static void init(void)
{
}
static int take(void)
{
	for (int n = 0;; n = (n + 1) & 7) {
		void *q = mmap(AT(n), 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
		if (q == AT(n)) {
			*(int *)q = n;
			return *(int *)q;
		}
	}
}
static void give(int n)
{
	munmap(AT(n), 1 << 16);
}
