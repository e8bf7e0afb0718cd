/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: fopen and fclose give numbers of descriptors, too */
#include "slot.h"
static FILE *mine[1024];
static void init(void)
{
}
static int take(void)
{
	FILE *f = fopen("/dev/null", "r");
	int n = fileno(f);
	mine[n] = f;
	return n;
}
static void give(int n)
{
	fclose(mine[n]);
}
