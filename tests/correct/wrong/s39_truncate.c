/* norn-test
 * errors: yes
 * cc: -O1
 * finding: ^race d
 */
/* Wrong: the data are written after the sign is given */
#define LATE
#include "../hand.h"
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
