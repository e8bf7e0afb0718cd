/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the stream becomes wide after the data are written */
#include "hand.h"
#include <wchar.h>
static FILE *f;
static void init(void)
{
	f = tmpfile();
}
static void set(void)
{
	fwide(f, 1);
}
static int seen(void)
{
	return fwide(f, 0) > 0;
}
