/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^assertion x == 6 predicted
 * silent: -DFIXED settle.o
 */
/* Wrong: a function that is called under the lock gives it up in between */
#include "alone.h"
MUTEX(m);
static int x, cnt;
static int flush(int full)
{
	if (full) {
		cnt = 0;
#ifndef FIXED
		U(m);
		L(m);
#endif
	}
	return 0;
}
T(w)
{
	for (int i = 0; i < 3; i++) {
		L(m);
		int o = x;
		flush(i == 1);
		x = o + 1;
		U(m);
		usleep(100);
	}
	return 0;
}
int main(void)
{
	pthread_t t, u;
	GO(t, w, 0);
	settle();
	GO(u, w, 0);
	WAIT(t);
	WAIT(u);
	assert(x == 6);
	return 0;
}
