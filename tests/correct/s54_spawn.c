/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: a child that posix_spawn made, and that only lives until its pipe is closed, tells by its end that the data are there */
#include "hand.h"
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
extern char **environ;
static pid_t child;
static int f[2];
static void init(void)
{
	char *v[] = {"cat", 0};
	posix_spawn_file_actions_t act;
	if (pipe2(f, O_CLOEXEC))
		abort();
	posix_spawn_file_actions_init(&act);
	posix_spawn_file_actions_adddup2(&act, f[0], 0);
	posix_spawn_file_actions_addopen(&act, 1, "/dev/null", O_WRONLY, 0);
	if (posix_spawnp(&child, "cat", &act, 0, v, environ))
		abort();
	posix_spawn_file_actions_destroy(&act);
}
static void set(void)
{
	close(f[1]);
}
static int seen(void)
{
	int st;
	return waitpid(child, &st, WNOHANG) == child;
}
