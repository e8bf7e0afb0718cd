/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: an empty file tells that the data are there */
#include "hand.h"
static void init(void)
{
	FILE *f = fopen("f", "w");
	fputs("text", f);
	fclose(f);
}
static void set(void)
{
	if (truncate("f", 0))
		abort();
}
static int seen(void)
{
	FILE *f = fopen("f", "r");
	int c = getc(f);
	fclose(f);
	return c == EOF;
}
