/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: flockfile is exclusive */
#include "lock.h"
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
