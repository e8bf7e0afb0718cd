/* norn-test
 * silent:
 * unjudged:
 */
/* Norn said, falsely (1ef9590 to 5becc41): -O1: race d, deadlock of one and two predicted: getc and ungetc of one stream.
 * Correct: one character put back is the token; libc locks the stream for each call */
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
