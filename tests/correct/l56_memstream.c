/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the stream and its buffer are used under a lock */
#define GUARDED
#include "hand.h"
static FILE *f;
static char *b;
static size_t n;
static void init(void)
{
	f = open_memstream(&b, &n);
	fflush(f);
}
static void set(void)
{
	fputs("go", f);
	fflush(f);
}
static int seen(void)
{
	return n == 2 && b[0] == 'g';
}
