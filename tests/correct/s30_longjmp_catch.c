/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: errors are thrown by longjmp out of a locked function, and the catcher unlocks */
#include "lock.h"
#include <setjmp.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local jmp_buf catch;
static __attribute__((noinline)) void work(int deep)
{
	if (!deep)
		longjmp(catch, 3);
	work(deep - 1);
}
static void init(void)
{
}
static void lk(int i)
{
	(void)i;
	L(m);
	if (setjmp(catch) == 3)
		return;
	work(4);
}
static void ul(int i)
{
	(void)i;
	U(m);
}
