/* tab[n++] = v under the lock (log, queue, ring) orders everything: the racy x after it is "proved". All branches are as recorded in the other order, only the index differs
   Failing order: t2's region before t1's, then x
   Shown with -DFAIL: by reasoning */
#include "hostile.h"
MX(m);
MX(a);
MX(b);
static int x, n, out;
static int tab[100];
void *t1(void *q)
{
	x = 1;
	LK(m);
	tab[n++] = 1;
	UL(m);
	return 0;
}
void *t2(void *q)
{
	G(3000);
	LK(m);
	tab[n++] = 5;
	UL(m);
	out = x;
	return 0;
}
int main(void)
{
	run2(t1, t2);
	return 0;
}
