/* norn-test
 * cc: -g -O1 -pthread
 * exit: 5
 * stdout: v
 * stdout: ve
 * stdout: l a b
 * stdout: le
 * stdout: vp, and not found
 * stdout: fexec
 * stdout: the last image
 * dump: main +write +steps .* = 7
 * never: main +exit
 */
/* All members of the exec family. What was recorded before the image is replaced is in the trace. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static volatile int steps;

static void run(void (*exec)(void))
{
	fflush(stdout);
	pid_t child = fork();
	int status;
	if (child == 0) {
		exec();
		_exit(1);
	}
	if (waitpid(child, &status, 0) != child || status != 0)
		exit(1);
	steps++;
}

static void v(void)
{
	execv("/bin/echo", (char *[]){"echo", "v", NULL});
}

static void ve(void)
{
	execve("/bin/sh", (char *[]){"sh", "-c", "echo $WORD", NULL}, (char *[]){"WORD=ve", NULL});
}

static void l(void)
{
	execl("/bin/echo", "echo", "l", "a", "b", (char *)NULL);
}

static void le(void)
{
	execle("/bin/sh", "sh", "-c", "echo $WORD", (char *)NULL, (char *[]){"WORD=le", NULL});
}

static void vp(void)
{
	if (execvp("norn-test-no-such-program", (char *[]){"x", NULL}) != -1 || errno != ENOENT)
		_exit(2);
	execlp("echo", "echo", "vp, and not found", (char *)NULL);
}

static void fexec(void)
{
	fexecve(open("/bin/echo", O_RDONLY | O_CLOEXEC), (char *[]){"echo", "fexec", NULL}, environ);
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		puts(argv[1]);
		return 5;
	}
	run(v);
	run(ve);
	run(l);
	run(le);
	run(vp);
	run(fexec);
	steps = 7;
	execvpe("/proc/self/exe", (char *[]){"program", "the last image", NULL}, environ);
	return 1;
}
