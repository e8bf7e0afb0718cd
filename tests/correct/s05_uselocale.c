/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: what mblen says in the thread's own locale decides */
#include "flow.h"
#include <locale.h>
static int flow(int v)
{
	locale_t l = newlocale(LC_CTYPE_MASK, v ? "C.UTF-8" : "C", 0);
	locale_t old = uselocale(l);
	int n = MB_CUR_MAX > 1;
	uselocale(old);
	freelocale(l);
	return n;
}
