/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: environ is set and getenv called under a lock */
#define GUARDED
#include "hand.h"
static char *other[] = {"NORN_T=1", 0};
static void init(void)
{
}
static void set(void)
{
	environ = other;
}
static int seen(void)
{
	return getenv("NORN_T") != 0;
}
