/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: -O1 settle.o
 * check: --model $SRC/../settle.model
 * finding: ^race d
 */
/* Wrong: the second thread works without the lock in its last round */
#define LAX
#include "../lock.h"
#include <setjmp.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void init(void)
{
}
static void deep(jmp_buf b, int n)
{
	if (n)
		deep(b, n - 1);
	else
		longjmp(b, 1);
}
static void lk(int i)
{
	jmp_buf b;
	L(m);
	if (!setjmp(b))
		deep(b, 3 + i);
}
static void ul(int i)
{
	jmp_buf b;
	if (!setjmp(b))
		deep(b, 2 + i);
	U(m);
}
