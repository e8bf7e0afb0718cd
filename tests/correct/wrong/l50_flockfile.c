/* norn-test
 * errors: yes
 * cc: -O1
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
