/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: FUTEX_WAKE says how many it woke: one only if the other thread waits, which it does after its write */
#include "hand.h"
#include <linux/futex.h>
#include <sys/syscall.h>
static atomic_int f;
static void init(void)
{
}
static void set(void)
{
	syscall(SYS_futex, &f, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0);
}
static int seen(void)
{
	return syscall(SYS_futex, &f, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0) == 1;
}
