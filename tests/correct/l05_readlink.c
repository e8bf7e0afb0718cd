/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the symbolic link is made after the data are written */
#include "hand.h"
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
