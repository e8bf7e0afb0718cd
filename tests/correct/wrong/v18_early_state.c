/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^assertion h == 7 predicted
 * silent: -DFIXED settle.o
 */
/* Wrong: the state says that all is ready before it is (in the manner of Mozilla's bug 61369) */
#include "alone.h"
static int state, handler;
MUTEX(m);
T(starter)
{
#ifndef FIXED
	L(m);
	state = 1;
	U(m);
#endif
	L(m);
	handler = 7;
#ifdef FIXED
	state = 1;
#endif
	U(m);
	return 0;
}
T(event)
{
	L(m);
	int s = state;
	U(m);
	if (s == 1) {
		L(m);
		int h = handler;
		U(m);
		assert(h == 7);
	}
	return 0;
}
int main(void)
{
	pthread_t t, u;
	GO(t, starter, 0);
	settle();
	GO(u, event, 0);
	WAIT(t);
	WAIT(u);
	return 0;
}
