/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the flag reaches the branch through memory copied by rep movsb */
#include "flow.h"
static int flow(int v)
{
	int r = 0;
	void *s = &v, *t = &r;
	size_t n = sizeof v;
	__asm__ volatile("rep movsb" : "+S"(s), "+D"(t), "+c"(n)::"memory");
	return r;
}
