/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the flag reaches the branch as a child's exit status */
#include "flow.h"
#include <sys/wait.h>
static int flow(int v)
{
	int s;
	pid_t c = fork();
	if (!c)
		_exit(v);
	waitpid(c, &s, 0);
	return WEXITSTATUS(s);
}
