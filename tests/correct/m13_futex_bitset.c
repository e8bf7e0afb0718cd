/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the flag is set before the wake; who waits looks at it again */
#include "hand.h"
#include <linux/futex.h>
#include <sys/syscall.h>
static unsigned f;
static void init(void)
{
}
static void set(void)
{
	__atomic_store_n(&f, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &f, FUTEX_WAKE_BITSET, 1, 0, 0, 5);
}
static int seen(void)
{
	while (!__atomic_load_n(&f, __ATOMIC_ACQUIRE))
		syscall(SYS_futex, &f, FUTEX_WAIT_BITSET, 0, 0, 0, 4);
	return 1;
}
