/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: msync of a page that is no longer there fails, under a lock */
#define GUARDED
#include "hand.h"
#include <sys/mman.h>
static char *page;
static void init(void)
{
	page = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
static void set(void)
{
	mprotect(page + 4096, 4096, PROT_NONE);
}
static int seen(void)
{
	int f[2], r;
	if (pipe(f))
		abort();
	r = write(f[1], page + 4096, 1) < 0 && errno == EFAULT;
	close(f[0]);
	close(f[1]);
	return r;
}
