/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: functions that fork calls hold the lock over it; the child uses what it guards */
#include "correct.h"
#include <sys/wait.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int d;
static void before(void)
{
	L(m);
	d++;
}
static void after(void)
{
	d++;
	U(m);
}
T(w)
{
	for (int i = 0; i < 4; i++) {
		L(m);
		d++;
		U(m);
		J();
	}
	return a;
}
int main(void)
{
	pthread_t x;
	int st;
	pthread_atfork(before, after, after);
	GO(x, w, 0);
	pid_t p = fork();
	if (!p) {
		L(m);
		int v = d;
		U(m);
		_exit(v < 2);
	}
	waitpid(p, &st, 0);
	WAIT(x);
	printf("%d %d\n", d, st);
	return st != 0 || d != 6;
}
