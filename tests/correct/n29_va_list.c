/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the flag reaches the branch through vsnprintf's list */
#include "flow.h"
#include <stdarg.h>
static int f(char *b, size_t n, const char *s, ...)
{
	va_list l;
	va_start(l, s);
	int r = vsnprintf(b, n, s, l);
	va_end(l);
	return r;
}
static int flow(int v)
{
	return f(0, 0, "%*s", v + 1, "x") == 2;
}
