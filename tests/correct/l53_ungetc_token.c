/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: one character put back is the token; libc locks the stream for each call */
#include "lock.h"
static FILE *f;
static void init(void)
{
	f = tmpfile();
	ungetc('t', f);
}
static void lk(int i)
{
	while (getc(f) != 't') {
		clearerr(f);
		usleep(30 + i);
	}
}
static void ul(int i)
{
	(void)i;
	if (ungetc('t', f) != 't')
		abort();
}
