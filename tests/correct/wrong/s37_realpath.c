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
	if (symlink("/dev/null", "way"))
		abort();
}
static int seen(void)
{
	char *s = realpath("way", 0);
	int r = s != 0;
	free(s);
	return r;
}
