/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: %hhn of a format that is passed on as a va_list writes the flag, under a lock */
#define GUARDED
#include "hand.h"
#include <stdarg.h>
static signed char flag;
static void init(void)
{
}
static void put(const char *f, ...)
{
	va_list l;
	char b[20];
	va_start(l, f);
	vsnprintf(b, sizeof b, f, l);
	va_end(l);
}
static void set(void)
{
	put("%s%hhn", "abc", &flag);
}
static int seen(void)
{
	return flag == 3;
}
