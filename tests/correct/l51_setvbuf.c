/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the stream's buffer is the program's; it is looked at under the stream's lock */
#include "hand.h"
static FILE *f;
static char b[256];
static void init(void)
{
	f = fopen("f", "w");
	setvbuf(f, b, _IOFBF, sizeof b);
}
static void set(void)
{
	fputs("go", f);
}
static int seen(void)
{
	flockfile(f);
	int r = b[0] == 'g';
	funlockfile(f);
	return r;
}
