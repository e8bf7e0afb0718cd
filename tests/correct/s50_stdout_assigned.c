/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: stdout is another stream under a lock; puts writes there */
#define GUARDED
#include "hand.h"
static FILE *mem, *real;
static char *text;
static size_t size;
static void init(void)
{
	real = stdout;
	mem = open_memstream(&text, &size);
}
static void set(void)
{
	stdout = mem;
	puts("x");
	fflush(stdout);
	stdout = real;
}
static int seen(void)
{
	return size == 2;
}
