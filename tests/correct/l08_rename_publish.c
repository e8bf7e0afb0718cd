/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the file gets its name after the data are written */
#include "hand.h"
static void init(void)
{
}
static void set(void)
{
	FILE *f = fopen("tmp", "w");
	fputs("done", f);
	fclose(f);
	rename("tmp", "done");
}
static int seen(void)
{
	return access("done", F_OK) == 0;
}
