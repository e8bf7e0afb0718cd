/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^assertion l <= h predicted
 * silent: -DFIXED settle.o
 */
/* Wrong: an invariant of two variables is broken between two regions */
#include "alone.h"
MUTEX(m);
static int lo = 0, hi = 10;
T(shift)
{
	for (int i = 0; i < 3; i++) {
#ifndef FIXED
		L(m);
		lo += 20;
		U(m);
		L(m);
		hi += 20;
		U(m);
#else
		L(m);
		lo += 20;
		hi += 20;
		U(m);
#endif
	}
	return 0;
}
T(look)
{
	L(m);
	int l = lo, h = hi;
	U(m);
	assert(l <= h);
	return 0;
}
int main(void)
{
	pthread_t a, b;
	GO(a, shift, 0);
	settle();
	GO(b, look, 0);
	WAIT(a);
	WAIT(b);
	return 0;
}
