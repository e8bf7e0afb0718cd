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
	if (symlink("seven", "s"))
		abort();
}
static int seen(void)
{
	char b[16];
	return readlink("s", b, sizeof b) == 5 && b[0] == 's';
}
