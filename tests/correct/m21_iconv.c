/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the descriptor's state is used under a lock */
#define GUARDED
#include "hand.h"
#include <iconv.h>
static iconv_t c;
static char o[8];
static void init(void)
{
	c = iconv_open("UTF-16LE", "ISO-8859-1");
}
static void set(void)
{
	char i[] = "g", *p1 = i, *p2 = o;
	size_t n1 = 1, n2 = sizeof o;
	iconv(c, &p1, &n1, &p2, &n2);
}
static int seen(void)
{
	return o[0] == 'g';
}
