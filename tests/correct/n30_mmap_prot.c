/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the flag reaches the branch as the protection of a page */
#include "flow.h"
#include <sys/mman.h>
static int flow(int v)
{
	int f[2];
	void *q = mmap(0, 4096, v ? PROT_READ : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pipe(f))
		abort();
	int r = write(f[1], q, 1) == 1;
	close(f[0]);
	close(f[1]);
	munmap(q, 4096);
	return r;
}
