/* norn-test
 * silent:
 * unjudged:
 */
/* Norn said, falsely (1ef9590 to 5becc41): -O0 to -O2: race d, race *p predicted: pread of /proc/self/mem.
 * Correct: the kernel reads the word that another thread set by an atomic store */
#include "hand.h"
#include <fcntl.h>
static atomic_int f;
static int fd;
static void init(void)
{
	fd = open("/proc/self/mem", O_RDONLY);
}
static void set(void)
{
	atomic_store(&f, 5);
}
static int seen(void)
{
	int v = 0;
	return pread(fd, &v, sizeof v, (off_t)(uintptr_t)&f) == sizeof v && v == 5;
}
