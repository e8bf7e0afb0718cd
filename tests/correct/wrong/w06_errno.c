/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^race x predicted
 * silent: -DFIXED settle.o
 */
/* Wrong: x is not guarded. That errno decides, which strtol has set by what it was given, orders nothing that the thread has read before. */
#include "alone.h"
MUTEX(m);
static int x, y;
static char text[] = "42";
T(first)
{
	WRONG(x = 1;)
	L(m);
	RIGHT(x = 1;)
	y++;
	U(m);
	return a;
}
T(second)
{
	L(m);
	y++;
	U(m);
	errno = 0;
	long n = strtol(text, NULL, 10);
	if (errno == ERANGE)
		abort();
	RIGHT(L(m);)
	x = (int)n;
	RIGHT(U(m);)
	return a;
}
int main(void)
{
	pthread_t t, u;
	GO(t, first, 0);
	settle();
	GO(u, second, 0);
	WAIT(t);
	WAIT(u);
	return 0;
}
