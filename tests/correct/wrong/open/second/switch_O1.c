/* (-O1/-O2) switch (k) of the value after n++: every case comes out as recorded, -O0 finds the race, -O1 does not
   Failing order: t2's region before t1's
   Shown with -DFAIL: TSan (-O0): data race */
#include "hostile.h"
MX(m);
static int x, n, out;
struct cfg {
	int max;
};
static struct cfg cf = {1000}, *cp = &cf;
void *t1(void *q)
{
	B(3000);
	x = 1;
	LK(m);
	n += 3;
	UL(m);
	return 0;
}
void *t2(void *q)
{
	G(6000);
	LK(m);
	n++;
	int k = n;
	UL(m);
	switch (k) {
	case 50:
		puts("a");
		break;
	case 60:
		puts("b");
		break;
	default:
		break;
	}
	out = x;
	return 0;
}
int main(void)
{
	run2(t1, t2);
	return 0;
}
