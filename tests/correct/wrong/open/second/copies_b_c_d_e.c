/* value copied a -> b -> c -> d -> e, then asserted: four hops, no word of it
   Failing order: w2 before w
   Shown with -DFAIL: assert yes */
#include "hostile.h"
MX(m);
static int a = 0, b, c, d, e;
void *w(void *p)
{
	B(5000);
	LK(m);
	a = 1;
	UL(m);
	return 0;
}
void *w2(void *p)
{
	G(5000);
	LK(m);
	b = a;
	UL(m);
	LK(m);
	c = b;
	UL(m);
	LK(m);
	d = c;
	UL(m);
	LK(m);
	e = d;
	UL(m);
	LK(m);
	assert(e == 1);
	UL(m);
	return 0;
}
int main(void)
{
	run2(w, w2);
	return 0;
}
