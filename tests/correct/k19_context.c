/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: each thread's coroutines have stacks of their own; the count is under a mutex */
#include "correct.h"
#include <ucontext.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int d;
static _Thread_local ucontext_t here, there;
static void co(void)
{
	for (int i = 0; i < 3; i++) {
		L(m);
		d++;
		U(m);
		swapcontext(&there, &here);
	}
}
T(w)
{
	char *st = malloc(65536);
	getcontext(&there);
	there.uc_stack.ss_sp = st;
	there.uc_stack.ss_size = 65536;
	there.uc_link = &here;
	makecontext(&there, co, 0);
	for (int i = 0; i < 4; i++)
		swapcontext(&here, &there);
	free(st);
	return a;
}
int main(void)
{
	pthread_t x, y;
	GO(x, w, 0);
	GO(y, w, 0);
	WAIT(x);
	WAIT(y);
	printf("%d\n", d);
	return d != 6;
}
