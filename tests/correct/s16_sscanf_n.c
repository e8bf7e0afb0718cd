/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: %n of sscanf writes the flag, under a lock */
#define GUARDED
#include "hand.h"
static int flag;
static void init(void)
{
}
static void set(void)
{
	int a;
	sscanf("12 34", "%d%n", &a, &flag);
}
static int seen(void)
{
	return flag == 2;
}
