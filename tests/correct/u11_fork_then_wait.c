/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: that there is a child to wait for tells that the thread that forked has written */
#include "hand.h"
#include <sys/wait.h>
static void init(void)
{
}
static void set(void)
{
	pid_t p = fork();
	if (!p) {
		execlp("true", "true", (char *)0);
		_exit(1);
	}
}
static int seen(void)
{
	int st;
	return wait(&st) > 0;
}
