/* norn-test
 * cc: -g -O1 -pthread
 * stdout: memory shared 11, own 1, by clone3 1, beside 1000, stopped and gone on 3, traced 2
 * never: write +number .* = (8|9)
 * never: write +beside
 */
/* Children that are made by clone: on their parent's memory while it waits, beside it with the same thread-local data, and on their own; stopped ones; and one that its parent traces. */
#define _GNU_SOURCE
#include <sched.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int number = 1;
static char stack[256 << 10] __attribute__((aligned(16)));

static int set(void *to)
{
	number = *(int *)to;
	_exit(0);
}

static volatile int beside[2];

static int count_beside(void *unused)
{
	(void)unused;
	for (int i = 0; i < 1000; i++)
		beside[1]++;
	_exit(0);
}

static int await(pid_t child, int flags)
{
	int status;
	if (child < 0 || waitpid(child, &status, flags) != child)
		exit(1);
	return status;
}

/* In a thread of its own, since it is not recorded any more. */
static void *run_beside(void *unused)
{
	static char other[256 << 10] __attribute__((aligned(16)));
	pid_t child = clone(count_beside, other + sizeof other, CLONE_VM | SIGCHLD, NULL);
	for (int i = 0; i < 1000; i++)
		beside[0]++;
	await(child, 0);
	return unused;
}

int main(void)
{
	int eleven = 11, nine = 9, stopped = 0, traced = 0;
	await(clone(set, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, &eleven), 0);
	int shared = number;
	number = 1;
	await(clone(set, stack + sizeof stack, SIGCHLD, &nine), 0);
	int own = number;
	uint64_t plain[8] = {[4] = SIGCHLD};
	pid_t child = (pid_t)syscall(SYS_clone3, plain, sizeof plain);
	if (child == 0) {
		number = 8;
		_exit(0);
	}
	if (child > 0)
		await(child, 0);
	int third = number;
	pthread_t thread;
	pthread_create(&thread, NULL, run_beside, NULL);
	pthread_join(thread, NULL);
	int seen[2]; /* the parent has seen it go on */
	char byte = 1;
	if (pipe(seen))
		return 1;
	child = fork();
	if (child == 0) {
		raise(SIGSTOP);
		if (read(seen[0], &byte, 1) != 1)
			_exit(6);
		number++;
		_exit(number);
	}
	stopped += WIFSTOPPED(await(child, WUNTRACED));
	kill(child, SIGCONT);
	stopped += WIFCONTINUED(await(child, WCONTINUED));
	if (write(seen[1], &byte, 1) != 1)
		return 1;
	stopped += WEXITSTATUS(await(child, 0)) == 2;
	child = fork();
	if (child == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(5); /* not allowed here */
		raise(SIGUSR1);
		number++;
		_exit(number + 3);
	}
	int status = await(child, 0);
	if (WIFSTOPPED(status)) {
		traced += WSTOPSIG(status) == SIGUSR1;
		ptrace(PTRACE_CONT, child, NULL, NULL); /* without the signal */
		status = await(child, 0);
	} else {
		traced++;
	}
	traced += WEXITSTATUS(status) == 5;
	printf("memory shared %d, own %d, by clone3 %d, beside %d, stopped and gone on %d, traced %d\n", shared, own, third,
	        beside[0] == 1000 ? beside[1] : -1, stopped, traced);
	return 0;
}
