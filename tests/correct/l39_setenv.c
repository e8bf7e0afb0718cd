/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the environment is written and read under a lock, after the data are written */
#define GUARDED
#include "hand.h"
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
