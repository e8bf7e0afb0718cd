/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the number of characters is stored and read under a lock */
#define GUARDED
#include "hand.h"
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
