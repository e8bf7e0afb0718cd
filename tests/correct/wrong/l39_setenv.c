/* norn-test
 * errors: yes
 * cc: -O1
 * finding: ^race d
 */
/* Wrong: the data are written after the sign is given */
#define GUARDED
#define LATE
#include "../hand.h"
static void init(void)
{
}
static void set(void)
{
	setenv("NORN_T", "go", 1);
}
static int seen(void)
{
	char *s = getenv("NORN_T");
	return s && s[0] == 'g';
}
