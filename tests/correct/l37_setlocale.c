/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the locale is changed and asked under a lock, after the data are written */
#define GUARDED
#include "hand.h"
#include <langinfo.h>
#include <locale.h>
static void init(void)
{
}
static void set(void)
{
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		abort();
}
static int seen(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}
