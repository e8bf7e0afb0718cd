/* norn-test
 * cc: -O0 -pthread
 * cc: -O2 -pthread
 * stdout: 200000 200001
 * stdout: child 200002
 * dump: write.*shared
 */
/* A filter of the program's own, which kills for what the program itself does not need: writing at an offset, and reserving room.
 * Threads and processes that are made in it are in it, too. A filter that allows everything changes nothing. */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int shared, before;

static void *count(void *times)
{
	for (long i = 0; i < (long)times; i++)
		__atomic_fetch_add(&shared, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

static void run(long times)
{
	pthread_t thread;
	pthread_create(&thread, NULL, count, (void *)times);
	pthread_join(thread, NULL);
}

static int enter(struct sock_filter *filter, unsigned short length)
{
	struct sock_fprog program = {length, filter};
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

int main(void)
{
	struct sock_filter all[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_filter some[] = {
	        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pwrite64, 2, 0),
	        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fallocate, 1, 0),
	        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || enter(all, 1))
		return 3;
	run(1000);
	before = shared;
	shared = 0;
	if (before != 1000 || enter(some, sizeof some / sizeof *some))
		return 4;
	run(200000);
	before = shared;
	count((void *)1);
	printf("%d %d\n", before, shared);
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		run(1);
		printf("child %d\n", shared);
		fflush(stdout);
		_exit(0);
	}
	int status = 1;
	return waitpid(child, &status, 0) == child && status == 0 ? 0 : 5;
}
