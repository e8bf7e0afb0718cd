/* assert(!ready || (init && open_)): short-circuit operators, three variables of one critical section
   Failing order: r between ready = 1 and open_ = 1
   Shown with -DFAIL: assert yes */
#include "hostile.h"
MX(m);
static int init, ready, open_;
void *w(void *p)
{
	G(3000);
	LK(m);
	init = 1;
	UL(m);
	LK(m);
	ready = 1;
	UL(m);
	B(3000);
	LK(m);
	open_ = 1;
	UL(m);
	return 0;
}
void *r(void *p)
{
	B(1000);
	LK(m);
	assert(!ready || (init && open_));
	UL(m);
	return 0;
}
int main(void)
{
	run2(r, w);
	return 0;
}
