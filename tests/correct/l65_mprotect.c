/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the page is closed after the data are written; the kernel says EFAULT then */
#include "hand.h"
#include <fcntl.h>
#include <sys/mman.h>
static char *q;
static int z;
static void init(void)
{
	q = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	z = open("/dev/zero", O_RDONLY);
}
static void set(void)
{
	mprotect(q, 4096, PROT_NONE);
}
static int seen(void)
{
	return read(z, q, 1) < 0 && errno == EFAULT;
}
