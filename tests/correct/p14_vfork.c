/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the child of vfork only calls execv or _exit */
#include "correct.h"
#include <sys/wait.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int sum;
T(w)
{
	for (int i = 0; i < 3; i++) {
		int s;
		pid_t c = vfork();
		if (!c) {
			execl("/bin/false", "false", (char *)0);
			_exit(127);
		}
		waitpid(c, &s, 0);
		L(m);
		sum += WEXITSTATUS(s);
		U(m);
	}
	return a;
}
int main(void)
{
	pthread_t x, y;
	GO(x, w, 0);
	GO(y, w, 0);
	WAIT(x);
	WAIT(y);
	printf("%d\n", sum);
	return sum != 6;
}
