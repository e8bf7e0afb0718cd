/* strcat(log, ..) under the lock on both sides orders everything after it
   Failing order: t2's region before t1's
   Shown with -DFAIL: TSan (-O0): data race */
#include "hostile.h"
MX(m);
CV(c);
static int x, n, out;
static char log_[200];
void *t1(void *q)
{
	B(3000);
	x = 1;
	LK(m);
	strcat(log_, "a");
	UL(m);
	return 0;
}
void *t2(void *q)
{
	G(6000);
	LK(m);
	strcat(log_, "b");
	UL(m);
	out = x;
	return 0;
}
int main(void)
{
	run2(t1, t2);
	return 0;
}
