/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the position of a shared stream gives numbers, each once */
#include "slot.h"
static FILE *f;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void init(void)
{
	f = tmpfile();
	if (!f)
		abort();
}
static int take(void)
{
	L(m);
	fseek(f, 0, SEEK_END);
	int n = (int)ftell(f);
	fprintf(f, "%c", 'x');
	U(m);
	return n;
}
static void give(int n)
{
	L(m);
	fseek(f, n, SEEK_SET);
	fputc('y', f);
	U(m);
}
