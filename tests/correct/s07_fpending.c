/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: what is in a stream's buffer is asked for under a lock */
#define GUARDED
#include "hand.h"
#include <stdio_ext.h>
static FILE *f;
static void init(void)
{
	f = fopen("f", "w");
}
static void set(void)
{
	fputs("go", f);
}
static int seen(void)
{
	return __fpending(f) == 2;
}
