/* two producers, consumer asserts get() == 1: index w_++ decides where, so the other order of the two puts is not evaluated
   Failing order: p2 before p1
   Shown with -DFAIL: assert yes */
#include "hostile.h"
MX(m);
static int buf[8], w_, r_;
static void put(int x)
{
	LK(m);
	buf[w_++ & 7] = x;
	UL(m);
}
static int get(void)
{
	LK(m);
	int x = buf[r_++ & 7];
	UL(m);
	return x;
}
void *p1(void *q)
{
	B(3000);
	put(1);
	return 0;
}
void *p2(void *q)
{
	G(3000);
	put(2);
	return 0;
}
int main(void)
{
	run2(p1, p2);
	assert(get() == 1);
	assert(get() == 2);
	return 0;
}
