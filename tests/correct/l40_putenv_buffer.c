/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the buffer that the environment points into is changed and read under a lock */
#define GUARDED
#include "hand.h"
static char b[] = "NORN_T=0";
static void init(void)
{
	putenv(b);
}
static void set(void)
{
	b[7] = '1';
}
static int seen(void)
{
	char *s = getenv("NORN_T");
	return s && *s == '1';
}
