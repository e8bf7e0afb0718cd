/* k = n; if (k < 0) k = 0; n = k; later if (n > 1000): stored value made by a branch (phi), every test comes out the same
   Failing order: t2 before t1's region
   Shown with -DFAIL: TSan (-O0): data race */
#include "hostile.h"
MX(m);
CV(c);
static int x, n, out;
void *t1(void *q)
{
	B(3000);
	x = 1;
	LK(m);
	n += 5;
	UL(m);
	return 0;
}
void *t2(void *q)
{
	G(6000);
	LK(m);
	n += 5;
	int k = n;
	if (k < 0)
		k = 0;
	n = k;
	UL(m);
	LK(m);
	if (n > 1000)
		abort();
	UL(m);
	out = x;
	return 0;
}
int main(void)
{
	run2(t1, t2);
	return 0;
}
