/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the kernel reads the word that another thread set by an atomic store */
#include "hand.h"
#include <sys/uio.h>
static atomic_int f;
static void init(void)
{
}
static void set(void)
{
	atomic_store(&f, 5);
}
static int seen(void)
{
	int v = 0;
	struct iovec l = {&v, sizeof v}, r = {&f, sizeof f};
	return process_vm_readv(getpid(), &l, 1, &r, 1, 0) == sizeof v && v == 5;
}
