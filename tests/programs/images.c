/* norn-test
 * cc: -g -O1 -pthread -lutil
 * stdout: from memory, 2000
 * stdout: from a file that is gone, 2000
 * stdout: spawned, 2000
 * stdout: terminal 1 1, 4000
 * stdout: no directory 1, 6000
 */
/* Programs that run from memory (memfd), from a file that has been removed, in a session or on a terminal of their own, spawned with all that posix_spawn can be told, and in a directory
 * that is gone. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static int count;

static void *add(void *unused)
{
	for (int i = 0; i < 1000; i++)
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

static void await(pid_t child)
{
	int status = 0;
	waitpid(child, &status, 0);
	printf("-> %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
	fflush(stdout);
}

static void copy_self(int to)
{
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat stat;
	off_t done = 0;
	fstat(self, &stat);
	while (done < stat.st_size && sendfile(to, self, &done, (size_t)(stat.st_size - done)) > 0)
		;
	close(self);
	fchmod(to, 0755);
}

static void from_memory(void)
{
	char *arguments[] = {"memory", "from memory", NULL};
	int file = memfd_create("copy", 0);
	copy_self(file);
	pid_t child = fork();
	if (child == 0) {
		fexecve(file, arguments, environ);
		_exit(9);
	}
	close(file);
	await(child);
}

static void from_nowhere(void)
{
	char path[] = "./copyXXXXXX", *arguments[] = {"gone", "from a file that is gone", NULL};
	int written = mkstemp(path);
	copy_self(written);
	close(written);
	int file = open(path, O_RDONLY | O_CLOEXEC);
	unlink(path);
	pid_t child = fork();
	if (child == 0) {
		syscall(SYS_execveat, file, "", arguments, environ, AT_EMPTY_PATH);
		_exit(9);
	}
	close(file);
	await(child);
}

static void spawned(void)
{
	char *arguments[] = {"spawned", "spawned", "more", NULL}, *shell[] = {"sh", "-c", "ls /proc/self/fd | wc -l; exit 3", NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t how;
	sigset_t all;
	pid_t child;
	sigfillset(&all);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addchdir_np(&actions, "/");
	posix_spawn_file_actions_addopen(&actions, 7, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, 7, 0);
	posix_spawn_file_actions_addclosefrom_np(&actions, 3);
	posix_spawnattr_init(&how);
	posix_spawnattr_setsigdefault(&how, &all);
	posix_spawnattr_setsigmask(&how, &all);
	posix_spawnattr_setpgroup(&how, 0);
	posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
	if (posix_spawn(&child, "/proc/self/exe", &actions, &how, arguments, environ) == 0)
		await(child);
	posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSID);
	if (posix_spawnp(&child, "sh", &actions, &how, shell, environ) == 0)
		await(child);
	printf("%d\n", posix_spawn(&child, "/nonexistent", NULL, NULL, arguments, environ));
	fflush(stdout);
}

static void on_terminal(void)
{
	int terminal;
	char text[100];
	size_t used = 0;
	pid_t child = forkpty(&terminal, NULL, NULL, NULL);
	if (child == 0) {
		add_in_two();
		printf("terminal %d %d, %d\n", isatty(1), tcgetpgrp(0) == getpid(), count);
		exit(5);
	}
	for (ssize_t n; used < sizeof text && (n = read(terminal, text + used, sizeof text - used)) > 0;)
		used += (size_t)n;
	printf("%.*s\n", (int)strcspn(text, "\r"), text);
	close(terminal);
	await(child);
}

int main(int argc, char **argv)
{
	char path[4096];
	add_in_two();
	if (argc > 1) {
		printf("%s, %d\n", argv[1], count);
		return 4;
	}
	from_memory();
	from_nowhere();
	spawned();
	on_terminal();
	if (mkdir("place", 0700) || chdir("place") || rmdir("../place"))
		return 1;
	add_in_two();
	add_in_two();
	printf("no directory %d, %d\n", getcwd(path, sizeof path) == NULL, count);
	return 0;
}
