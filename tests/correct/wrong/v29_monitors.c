/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^deadlock .*poll_l.* predicted
 * silent: -DFIXED settle.o
 */
/* Wrong: two locks in two orders, in loops */
#include "alone.h"
MUTEX(poll_l);
MUTEX(list_l);
MUTEX(log_l);
static int fds[8], nlog;
static void lg(void)
{
	L(log_l);
	nlog++;
	U(log_l);
}
T(add)
{
	for (int i = 0; i < 8; i++) {
		lg();
		L(poll_l);
		L(list_l);
		fds[i]++;
		U(list_l);
		U(poll_l);
		lg();
	}
	return 0;
}
T(poller)
{
	for (int i = 0; i < 8; i++) {
		L(list_l);
		int n = fds[i];
		if (n) {
#ifdef FIXED
			U(list_l);
#endif
			L(poll_l);
#ifdef FIXED
			L(list_l);
#endif
			fds[i]--;
#ifdef FIXED
			U(list_l);
#endif
			U(poll_l);
#ifndef FIXED
			U(list_l);
#endif
		} else
			U(list_l);
		lg();
	}
	return 0;
}
int main(void)
{
	pthread_t t, u;
	GO(t, add, 0);
	settle();
	GO(u, poller, 0);
	WAIT(t);
	WAIT(u);
	return 0;
}
