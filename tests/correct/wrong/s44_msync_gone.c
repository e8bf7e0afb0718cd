/* norn-test
 * errors: yes
 * cc: -O1
 * finding: ^race d
 */
/* Wrong: the data are written after the sign is given */
#define LATE
#define GUARDED
#include "../hand.h"
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
