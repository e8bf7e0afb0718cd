/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the pipe is used by syscall() itself; what comes out was put in after the data */
#include "hand.h"
#include <sys/syscall.h>
static int f[2];
static void init(void)
{
	syscall(SYS_pipe2, f, 0);
}
static void set(void)
{
	syscall(SYS_write, f[1], "g", 1);
}
static int seen(void)
{
	char c = 0;
	return syscall(SYS_read, f[0], &c, 1) == 1 && c == 'g';
}
