/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the kernel writes the flag, under the lock under which it is read */
#define GUARDED
#include "hand.h"
#include <sys/uio.h>
static int flag;
static void init(void)
{
}
static void set(void)
{
	int one = 1;
	struct iovec from = {&one, sizeof one}, to = {&flag, sizeof flag};
	if (process_vm_writev(getpid(), &from, 1, &to, 1, 0) != sizeof one)
		flag = 1;
}
static int seen(void)
{
	return flag;
}
