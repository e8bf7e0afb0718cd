/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^deadlock read\(\).* predicted
 * silent: -DFIXED settle.o
 */
/* Wrong: a pipe is read under the lock that the writer takes first */
#include "alone.h"
static int p[2];
MUTEX(m);
static int n;
T(rd)
{
	char c;
	L(m);
#ifdef FIXED
	U(m);
#endif
	if (read(p[0], &c, 1) == 1)
		n++;
#ifndef FIXED
	U(m);
#endif
	return 0;
}
T(wr)
{
	L(m);
	U(m);
	if (write(p[1], "x", 1) != 1)
		return a;
	return 0;
}
int main(void)
{
	pthread_t t, u;
	if (pipe(p))
		return 2;
	GO(t, wr, 0);
	settle();
	GO(u, rd, 0);
	WAIT(t);
	WAIT(u);
	return 0;
}
