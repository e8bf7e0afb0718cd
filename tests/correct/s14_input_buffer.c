/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: getc fills the buffer that the program gave to the stream, and it is looked into under a lock */
#define GUARDED
#include "hand.h"
static FILE *f;
static char b[64];
static void init(void)
{
	f = fopen("in", "w+");
	fputs("go", f);
	fclose(f);
	f = fopen("in", "r");
	setvbuf(f, b, _IOFBF, sizeof b);
}
static void set(void)
{
	(void)getc(f);
}
static int seen(void)
{
	return b[1] == 'o';
}
