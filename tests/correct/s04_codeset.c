/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the locale is changed and asked for under a lock */
#define GUARDED
#include "hand.h"
#include <locale.h>
#include <langinfo.h>
static void init(void)
{
}
static void set(void)
{
	if (!setlocale(LC_ALL, "C.UTF-8"))
		abort();
}
static int seen(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}
