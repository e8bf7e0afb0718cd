/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^deadlock .*o.* predicted
 * silent: -DFIXED settle.o
 */
/* Wrong: a lock around pthread_once, whose routine takes it */
#include "alone.h"
static pthread_once_t o = PTHREAD_ONCE_INIT;
MUTEX(m);
static int v;
static void init(void)
{
	L(m);
	v = 1;
	U(m);
}
T(t1)
{
	pthread_once(&o, init);
	return 0;
}
T(t2)
{
#ifdef FIXED
	pthread_once(&o, init);
#endif
	L(m);
#ifndef FIXED
	pthread_once(&o, init);
#endif
	v++;
	U(m);
	return 0;
}
int main(void)
{
	pthread_t t, u;
	GO(t, t1, 0);
	settle();
	GO(u, t2, 0);
	WAIT(t);
	WAIT(u);
	return 0;
}
