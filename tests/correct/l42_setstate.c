/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the state of random is changed and asked under a lock */
#define GUARDED
#include "hand.h"
static char s1[64], s2[64];
static void init(void)
{
	initstate(1, s1, 64);
	initstate(2, s2, 64);
	setstate(s1);
}
static void set(void)
{
	setstate(s2);
}
static int seen(void)
{
	char *o = setstate(s1);
	setstate(o);
	return o == s2;
}
