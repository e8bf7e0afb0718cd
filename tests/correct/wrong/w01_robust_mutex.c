/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^race x predicted
 * silent: -DFIXED settle.o
 */
/* Wrong: what comes before a robust mutex in one thread, and after it in another, is not guarded by it. (glibc marks robust mutexes as shared.) */
#include "alone.h"
static pthread_mutex_t m;
static int x, y;
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
	RIGHT(x = 2;)
	y++;
	U(m);
	WRONG(x = 2;)
	return a;
}
int main(void)
{
	pthread_t t, u;
	pthread_mutexattr_t attributes;
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&m, &attributes);
	GO(t, first, 0);
	settle();
	GO(u, second, 0);
	WAIT(t);
	WAIT(u);
	return 0;
}
