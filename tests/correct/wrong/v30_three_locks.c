/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^deadlock .*lst.* predicted
 * silent: -DFIXED settle.o
 */
/* Wrong: a circle of three locks in three threads */
#include "alone.h"
MUTEX(csl);
MUTEX(idx);
MUTEX(lst);
static int a_, b_, c_;
T(t1)
{
	for (int i = 0; i < 5; i++) {
		L(csl);
		L(idx);
		a_++;
		U(idx);
		U(csl);
	}
	return 0;
}
T(t2)
{
	for (int i = 0; i < 5; i++) {
		L(idx);
		L(lst);
		b_++;
		U(lst);
		U(idx);
	}
	return 0;
}
T(t3)
{
	for (int i = 0; i < 5; i++) {
#ifndef FIXED
		L(lst);
		L(csl);
#else
		L(csl);
		L(lst);
#endif
		c_++;
		U(csl);
		U(lst);
	}
	return 0;
}
int main(void)
{
	pthread_t t, u, v;
	GO(t, t1, 0);
	settle();
	GO(u, t2, 0);
	settle();
	GO(v, t3, 0);
	WAIT(t);
	WAIT(u);
	WAIT(v);
	return 0;
}
