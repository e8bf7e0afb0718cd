/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the flag reaches the branch as the length that memchr looks at */
#include "flow.h"
static int flow(int v)
{
	static const char s[] = "abc";
	return memchr(s, 'c', 2 + (size_t)v) != 0;
}
