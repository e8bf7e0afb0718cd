/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the stream's place is moved after the data are written */
#include "hand.h"
static FILE *f;
static void init(void)
{
	f = tmpfile();
}
static void set(void)
{
	fseek(f, 7, SEEK_SET);
}
static int seen(void)
{
	return ftell(f) == 7;
}
