/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the state between the bytes of one character is used under a lock */
#define GUARDED
#include "hand.h"
#include <locale.h>
#include <wchar.h>
static mbstate_t s;
static void init(void)
{
	if (!setlocale(LC_ALL, "C.UTF-8"))
		abort();
}
static void set(void)
{
	wchar_t w;
	mbrtowc(&w, "\xc3", 1, &s);
}
static int seen(void)
{
	return !mbsinit(&s);
}
