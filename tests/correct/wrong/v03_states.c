/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^assertion x == 16 && y == 5 predicted
 * silent: -DFIXED settle.o
 */
/* Wrong: two variables, each with a lock of its own, are looked at before both threads have ended */
#include "alone.h"
MUTEX(ma);
MUTEX(mb);
static int d1 = 10, d2 = 10;
T(t1)
{
	L(ma);
	d1++;
	U(ma);
	L(mb);
	d2++;
	U(mb);
	return 0;
}
T(t2)
{
	L(ma);
	d1 += 5;
	U(ma);
	L(mb);
	d2 -= 6;
	U(mb);
	return 0;
}
int main(void)
{
	pthread_t a, b;
	GO(a, t1, 0);
	settle();
	GO(b, t2, 0);
#ifndef FIXED
	settle();
#else
	WAIT(a);
	WAIT(b);
#endif

#ifndef FIXED
	L(ma);
	int x = d1;
	U(ma);
	L(mb);
	int y = d2;
	U(mb);
#else
	int x = d1, y = d2;
#endif

	assert(x == 16 && y == 5);

#ifndef FIXED
	WAIT(a);
	WAIT(b);
#endif
	return 0;
}
