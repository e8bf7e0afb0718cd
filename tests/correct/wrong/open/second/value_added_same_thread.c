/* errors += a - b; then assert(errors == 0) in the same thread
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
	errors += a - b;
	UL(m);
	LK(m);
	assert(errors == 0);
	UL(m);
	return 0;
}
int main(void)
{
	run2(r, w);
	return 0;
}
