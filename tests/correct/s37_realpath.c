/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: a symbolic link that leads somewhere tells that the data are there */
#include "hand.h"
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
