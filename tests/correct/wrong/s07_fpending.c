/* norn-test
 * errors: yes
 * cc: -O1
 * finding: ^race d
 */
/* Wrong: the data are written after the sign is given */
#define LATE
#define GUARDED
#include "../hand.h"
#include <stdio_ext.h>
static FILE *f;
static void init(void)
{
	f = fopen("f", "w");
}
static void set(void)
{
	fputs("go", f);
}
static int seen(void)
{
	return __fpending(f) == 2;
}
