/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^deadlock .*b.* predicted
 * silent: -DFIXED settle.o
 */
/* Wrong: a barrier is waited for under a lock that another thread needs to come there */
#include "alone.h"
MUTEX(m);
static pthread_barrier_t b;
static int x;
T(t1)
{
	L(m);
	x++;
#ifdef FIXED
	U(m);
#endif
	pthread_barrier_wait(&b);
#ifndef FIXED
	U(m);
#endif
	return 0;
}
T(t2)
{
	L(m);
	x++;
	U(m);
	pthread_barrier_wait(&b);
	return 0;
}
int main(void)
{
	pthread_t a, c;
	pthread_barrier_init(&b, 0, 2);
	GO(a, t2, 0);
	settle();
	GO(c, t1, 0);
	WAIT(a);
	WAIT(c);
	return 0;
}
