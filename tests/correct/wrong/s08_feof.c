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
	f = fopen("/dev/null", "r");
}
static void set(void)
{
	(void)getc(f);
}
static int seen(void)
{
	return feof(f);
}
