/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: strtok's place is kept by libc, and used under a lock */
#define GUARDED
#include "hand.h"
static char e[] = " ", b[] = "x go";
static void init(void)
{
	strtok(e, " ");
}
static void set(void)
{
	strtok(b, " ");
}
static int seen(void)
{
	char *s = strtok(0, " ");
	return s && s[0] == 'g';
}
