/* norn-test
 * cc: -g -O1 -pthread
 * stdout: new root: 5
 * stdout: other mounts: 5
 * stdout: own numbers: 5
 * stdout: orphans: 5
 */
/* Processes that go where what Norn used is not: another root without /proc, other mounts, a process number of their own. Without rights to do that they stay where they are. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static int count;

static void *add(void *unused)
{
	for (int i = 0; i < 100; i++)
		__atomic_fetch_add(&count, 1, __ATOMIC_SEQ_CST);
	return unused;
}

static void add_in_two(void)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

static void new_root(void)
{
	char directory[] = "/tmp/norn-rootXXXXXX";
	if (mkdtemp(directory) && (chroot(directory) == 0 || (unshare(CLONE_NEWUSER) == 0 && chroot(directory) == 0)))
		chdir("/");
	rmdir(directory);
}

static void other_mounts(void)
{
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0) {
		mount("none", "/dev/shm", "tmpfs", 0, NULL);
		mount("none", "/tmp", "tmpfs", 0, NULL);
	}
}

static void own_numbers(void)
{
	unshare(CLONE_NEWUSER | CLONE_NEWPID);
}

static void subreaper(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

/* How a process ends that counts, goes there, and has a child that counts on. */
static int in_child(void (*go)(void))
{
	int status = 0;
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		add_in_two();
		go();
		pid_t next = fork();
		if (next == 0) {
			add_in_two();
			_exit(count == 600 ? 0 : 1);
		}
		waitpid(next, &status, 0);
		_exit(status == 0 && count == 400 ? 5 : 6);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int main(void)
{
	add_in_two();
	printf("new root: %d\n", in_child(new_root));
	printf("other mounts: %d\n", in_child(other_mounts));
	printf("own numbers: %d\n", in_child(own_numbers));
	printf("orphans: %d\n", in_child(subreaper));
	return 0;
}
