/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the handlers hold the lock over fork, in the order that libc gives */
#include "correct.h"
#include <sys/wait.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int d, forks;
static void pre(void)
{
	L(m);
	forks++;
}
static void post(void)
{
	U(m);
}
T(w)
{
	for (int i = 0; i < 5; i++) {
		L(m);
		d++;
		U(m);
	}
	return a;
}
int main(void)
{
	pthread_t x;
	pthread_atfork(pre, post, post);
	GO(x, w, 0);
	for (int i = 0; i < 2; i++) {
		pid_t c = fork();
		if (!c) {
			L(m);
			int v = d;
			U(m);
			_exit(v > 5);
		}
		waitpid(c, 0, 0);
	}
	WAIT(x);
	printf("%d %d\n", d, forks);
	return d != 5;
}
