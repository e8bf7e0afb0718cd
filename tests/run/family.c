/* Starts processes, as it is told to; what is racy is done by a child only. The last argument but one says how, the last is the
 * program to be started. */
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
int tally;

static void *count(void *unused)
{
	tally++;
	return NULL;
}

static void race(void)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, count, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

static void fork_one(int fault)
{
	int status;
	pid_t child = fork();
	if (child == 0) {
		race();
		if (fault)
			abort();
		_exit(0);
	}
	waitpid(child, &status, 0);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	char command[4096];
	char *arguments[] = {argv[0], "race", NULL};
	pid_t child;
	int status;
	if (!strcmp(how, "race"))
		race();
	else if (!strcmp(how, "fork"))
		fork_one(0);
	else if (!strcmp(how, "three")) {
		fork_one(0);
		fork_one(0);
		race();
	} else if (!strcmp(how, "crash"))
		fork_one(1);
	else if (!strcmp(how, "exec"))
		execv(argv[0], arguments);
	else if (!strcmp(how, "system")) {
		snprintf(command, sizeof command, "%s race", argv[0]);
		return system(command);
	} else if (!strcmp(how, "spawn")) {
		if (posix_spawn(&child, argv[0], NULL, NULL, arguments, environ) == 0)
			waitpid(child, &status, 0);
	} else if (!strcmp(how, "daemon")) {
		if (daemon(1, 1) == 0)
			race();
	} else if (!strcmp(how, "seek")) {
		/* Descriptors are those that it would have without Norn. */
		int fd = dup(0);
		printf("%d\n", fd);
	}
	return 0;
}
