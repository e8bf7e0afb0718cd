/* norn-test
 * errors: yes
 * cc: -O1
 * finding: ^race d
 */
/* Wrong: the data are written after the sign is given */
#define GUARDED
#define LATE
#include "../hand.h"
static int n;
static void init(void)
{
}
static void set(void)
{
	char b[32];
	snprintf(b, sizeof b, "%s%n", "four", &n);
}
static int seen(void)
{
	return n == 4;
}
