/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^assertion x1 == x2 && x2 == x3 predicted
 * silent: -DFIXED settle.o
 */
/* Wrong: three threads pass a value on, in the order that they happen to come */
#include "alone.h"
static int x1 = 1, x2 = 1, x3 = 1, f1, f2, f3;
MUTEX(m);
T(t1)
{
	L(m);
	x1 = (x3 + 1) % 4;
	f1 = 1;
	U(m);
	return 0;
}
T(t2)
{
	L(m);
	x2 = x1;
	f2 = 1;
	U(m);
	return 0;
}
T(t3)
{
	L(m);
	x3 = x2;
	f3 = 1;
	U(m);
	return 0;
}
T(chk)
{
	L(m);
	if (f1 && f2 && f3) {
#ifndef FIXED
		assert(x1 == x2 && x2 == x3);
#endif
	}
	U(m);
	return 0;
}
int main(void)
{
	pthread_t a, b, c, d;
	GO(a, t1, 0);
	settle();
	GO(b, t2, 0);
	settle();
	GO(c, t3, 0);
	settle();
	GO(d, chk, 0);
	WAIT(a);
	WAIT(b);
	WAIT(c);
	WAIT(d);
	return 0;
}
