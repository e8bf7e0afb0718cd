/* norn-test
 * errors: yes
 * cc: -O1
 * finding: ^race d
 */
/* Wrong: the data are written after the sign is given */
#define LATE
#include "../hand.h"
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
static pid_t c;
static void init(void)
{
	char *v[] = {"sleep", "100", 0};
	if (posix_spawnp(&c, "sleep", 0, 0, v, environ))
		abort();
}
static void set(void)
{
	kill(c, SIGKILL);
}
static int seen(void)
{
	int s;
	return waitpid(c, &s, 0) == c && WIFSIGNALED(s);
}
