/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: sscanf writes under a lock */
#define GUARDED
#include "hand.h"
static int n;
static char w[8];
static void init(void)
{
}
static void set(void)
{
	sscanf("12 go", "%d %7s", &n, w);
}
static int seen(void)
{
	return n == 12 && !strcmp(w, "go");
}
