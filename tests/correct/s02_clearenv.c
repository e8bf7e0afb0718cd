/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: all variables are gone, under a lock, when the data are there */
#define GUARDED
#include "hand.h"
static void init(void)
{
	setenv("NORN_S", "1", 1);
}
static void set(void)
{
	clearenv();
}
static int seen(void)
{
	return !getenv("NORN_S");
}
