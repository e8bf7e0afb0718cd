/* main returns n == 2 ? 0 : 1 after the joins (exit(1) would count, return 1 does not)
   Failing order: w reads n, w2 writes it, w writes
   Shown with -DFAIL: exit NO */
#include "hostile.h"
MX(m);
static int n;
void *w(void *p)
{
	int t;
	LK(m);
	t = n;
	UL(m);
	B(2000);
	LK(m);
	n = t + 1;
	UL(m);
	return 0;
}
void *w2(void *p)
{
	G(2000);
	B(500);
	return w(p);
}
int main(void)
{
	run2(w, w2);
	return n == 2 ? 0 : 1;
}
