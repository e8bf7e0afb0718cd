/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the stream and its buffer are used under a lock */
#define GUARDED
#include "hand.h"
static FILE *f;
static char b[64];
static void init(void)
{
	f = fmemopen(b, sizeof b, "w");
}
static void set(void)
{
	fprintf(f, "%d", 15);
	fflush(f);
}
static int seen(void)
{
	return atoi(b) == 15;
}
