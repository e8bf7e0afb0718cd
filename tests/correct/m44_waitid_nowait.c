/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the child has ended after the data are written; waitid with WNOWAIT leaves it */
#include "hand.h"
#include <spawn.h>
#include <sys/wait.h>
static pid_t c;
static int f[2];
static void init(void)
{
	char *v[] = {"cat", 0};
	posix_spawn_file_actions_t a;
	if (pipe2(f, 02000000))
		abort();
	posix_spawn_file_actions_init(&a);
	posix_spawn_file_actions_adddup2(&a, f[0], 0);
	posix_spawn_file_actions_adddup2(&a, 2, 1);
	if (posix_spawnp(&c, "cat", &a, 0, v, environ))
		abort();
	posix_spawn_file_actions_destroy(&a);
}
static void set(void)
{
	close(f[1]);
}
static int seen(void)
{
	siginfo_t i = {0};
	return waitid(P_PID, (id_t)c, &i, WEXITED | WNOHANG | WNOWAIT) == 0 && i.si_pid == c;
}
