/* (-O0) assertion over two bit fields
   Failing order: r between the regions of w
   Shown with -DFAIL: assert yes */
#include "hostile.h"
MX(m);
static struct {
	unsigned open : 1, busy : 1, n : 6;
} s;
void *w(void *p)
{
	G(3000);
	LK(m);
	s.busy = 1;
	UL(m);
	B(2000);
	LK(m);
	s.open = 1;
	UL(m);
	return 0;
}
void *r(void *p)
{
	B(1000);
	LK(m);
	assert(!s.busy || s.open);
	UL(m);
	return 0;
}
int main(void)
{
	run2(r, w);
	return 0;
}
