/* norn-test
 * cc: -g -O1 -pthread
 * exit: signal 6
 * stdout: caught once
 * dump-count: 1 main +signal +signal 6
 * dump-count: 1 exit +status 134
 */
/* abort with a handler that jumps away is not the end; without one it is. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static sigjmp_buf back;

static void jump(int sig)
{
	siglongjmp(back, sig);
}

int main(void)
{
	signal(SIGABRT, jump);
	if (sigsetjmp(back, 1) == 0)
		abort();
	puts("caught once");
	fflush(stdout);
	signal(SIGABRT, SIG_DFL);
	abort();
}
