/* errors = (a != b) stored, assert(errors == 0) after the join; `errors = a - b` is found, the comparison is not
   Failing order: r between the two regions of w
   Shown with -DFAIL: fails rc 134 */
#include "hostile.h"
MX(m);
static int a, b, errors;
void *w(void *p)
{
	G(3000);
	LK(m);
	a++;
	UL(m);
	B(1000);
	LK(m);
	b++;
	UL(m);
	return 0;
}
void *r(void *p)
{
	B(500);
	LK(m);
	errors = (a != b);
	UL(m);
	return 0;
}
int main(void)
{
	run2(r, w);
	assert(errors == 0);
	return 0;
}
