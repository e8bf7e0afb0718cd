/* norn-test
 * cc: -g -O1
 * stdout: child 9, parent 2
 * dump-count: 2 write +g .* = [12]
 * never: write +g .* = 9
 */
/* A child that was forked past libc has a trace of its own, too. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

volatile int g;

int main(void)
{
	int status;
	g = 1;
	pid_t child = (pid_t)syscall(SYS_fork);
	if (child == 0) {
		g = 9;
		_exit(g);
	}
	if (waitpid(child, &status, 0) != child)
		return 1;
	g++;
	printf("child %d, parent %d\n", WEXITSTATUS(status), g);
	return 0;
}
