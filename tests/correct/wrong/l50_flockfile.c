/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: -O1 settle.o
 * check: --model $SRC/../settle.model
 * misses: ^race d
 * unjudged:
 */
/* Wrong: the second thread works without the lock in its last round */
#define LAX
#include "../lock.h"
static FILE *f;
static void init(void)
{
	f = fopen("f", "w");
}
static void lk(int i)
{
	if (i)
		flockfile(f);
	else
		while (ftrylockfile(f))
			usleep(50);
	fputc_unlocked('x', f);
}
static void ul(int i)
{
	(void)i;
	funlockfile(f);
}
