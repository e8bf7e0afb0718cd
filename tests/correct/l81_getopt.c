/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: getopt's place is kept by libc, and used under a lock */
#define GUARDED
#include "hand.h"
static char *v[] = {"p", "-a", "-b", "-c", 0};
static void init(void)
{
}
static void set(void)
{
	while (getopt(4, v, "abc") != -1)
		;
}
static int seen(void)
{
	return optind == 4;
}
