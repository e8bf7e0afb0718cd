/* the same hides a failing assertion
   Failing order: t2 before t1
   Shown with -DFAIL: by reasoning */
#include "hostile.h"
MX(m);
MX(a);
MX(b);
static int x, n, out;
static int tab[100];
void *t1(void *q)
{
	LK(a);
	x = 1;
	UL(a);
	LK(m);
	n++;
	UL(m);
	return 0;
}
void *t2(void *q)
{
	G(3000);
	LK(m);
	int k = n;
	UL(m);
	LK(a);
	assert(x == 1);
	UL(a);
	tab[k]++;
	return 0;
}
int main(void)
{
	run2(t1, t2);
	return 0;
}
