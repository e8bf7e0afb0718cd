/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: a thread that is no more (ESRCH) has written its data before */
#include "correct.h"
#include <sys/syscall.h>
static int d;
static atomic_int id;
T(w)
{
	id = (int)syscall(SYS_gettid);
	J();
	d = 41;
	return a;
}
int main(void)
{
	pthread_t x;
	GO(x, w, 0);
	while (!id)
		sched_yield();
	while (syscall(SYS_tgkill, getpid(), id, 0) == 0)
		usleep(100);
	d++;
	printf("%d\n", d);
	WAIT(x);
	return d != 42;
}
