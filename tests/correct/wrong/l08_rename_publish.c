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
