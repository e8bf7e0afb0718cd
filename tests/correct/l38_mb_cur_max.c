/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the locale is changed and used under a lock, after the data are written */
#define GUARDED
#include "hand.h"
#include <locale.h>
#include <wchar.h>
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
	wchar_t w = 0;
	mbstate_t s = {0};
	return mbrtowc(&w, "\xc3\xa4", 2, &s) == 2 && w == 0xe4;
}
