/* norn-test
 * cc: -O0 -pthread
 * cc: -O2 -pthread
 * stdout: 909, No such file or directory, 0 0
 * dump: main/3 +write +counter
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Threads start processes by posix_spawn, with redirections, attributes and a failure, while others write: each child's output and
 * status come back. */
static int counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
extern char **environ;

static void spawn(char *name)
{
	int ends[2], status = -1;
	pid_t pid;
	char text[64] = "", *argv[] = {"/bin/sh", "-c", "read word; echo \"$0 $word\"; exit 7", name, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	if (pipe2(ends, O_CLOEXEC))
		exit(9);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/proc/sys/kernel/ostype", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
	posix_spawnattr_init(&attributes);
	sigemptyset(&none);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	if (posix_spawn(&pid, argv[0], &actions, &attributes, argv, environ))
		exit(8);
	close(ends[1]);
	for (size_t used = 0; used < sizeof text - 1;) {
		ssize_t n = read(ends[0], text + used, sizeof text - 1 - used);
		if (n <= 0)
			break;
		used += (size_t)n;
	}
	close(ends[0]);
	waitpid(pid, &status, 0);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	pthread_mutex_lock(&lock);
	counter++;
	if (strstr(text, "Linux") && strncmp(text, name, strlen(name)) == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 7)
		counter += 100;
	pthread_mutex_unlock(&lock);
}

static void *run(void *name)
{
	for (int i = 0; i < 3; i++)
		spawn(name);
	return NULL;
}

int main(void)
{
	pthread_t threads[3];
	char *names[] = {"one", "two", "three"}, *nothing[] = {"/no/such/program", NULL};
	pid_t pid = 0;
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, run, names[i]);
	int failed = posix_spawn(&pid, nothing[0], NULL, NULL, nothing, environ);
	int found = posix_spawnp(&pid, "true", NULL, NULL, (char *[]){"true", NULL}, environ), status = -1;
	waitpid(pid, &status, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	printf("%d, %s, %d %d\n", counter, strerror(failed), found, status);
	return 0;
}
