/* norn-test
 * errors: yes
 * cc: -O1
 * finding: ^race d
 */
/* Wrong: the data are written after the sign is given */
#define LATE
#include "../hand.h"
static FILE *f;
static void init(void)
{
	f = tmpfile();
}
static void set(void)
{
	fseek(f, 7, SEEK_SET);
}
static int seen(void)
{
	return ftell(f) == 7;
}
