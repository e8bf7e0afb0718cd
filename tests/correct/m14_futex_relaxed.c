/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: futex wait and wake carry the order: the word is atomic, its reader acquires */
#include "lock.h"
#include <linux/futex.h>
#include <sys/syscall.h>
static atomic_uint f;
static long (*volatile sys)(long, ...) = syscall;
static void init(void)
{
}
static void lk(int i)
{
	unsigned o = 0;
	(void)i;
	if (atomic_compare_exchange_strong(&f, &o, 1))
		return;
	while (atomic_exchange(&f, 2) != 0)
		sys(SYS_futex, &f, FUTEX_WAIT_PRIVATE, 2, 0, 0, 0);
}
static void ul(int i)
{
	(void)i;
	if (atomic_exchange(&f, 0) == 2)
		sys(SYS_futex, &f, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}
