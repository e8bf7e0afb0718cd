/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the end-of-file mark is cleared after the data are written */
#include "hand.h"
static FILE *f;
static void init(void)
{
	f = fopen("/dev/null", "r");
	if (getc(f) != EOF || !feof(f))
		abort();
}
static void set(void)
{
	clearerr(f);
}
static int seen(void)
{
	return !feof(f);
}
