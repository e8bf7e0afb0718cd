/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the seed is set and asked under a lock */
#define GUARDED
#include "hand.h"
static void init(void)
{
}
static void set(void)
{
	srand48(77);
}
static int seen(void)
{
	unsigned short z[3] = {1, 2, 3};
	unsigned short *o = seed48(z), k[3];
	memcpy(k, o, sizeof k);
	seed48(k);
	return k[0] == 0x330e && k[1] == 77 && k[2] == 0;
}
