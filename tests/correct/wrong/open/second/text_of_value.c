/* snprintf(b, "%d", n); puts(b) before the racy x: only printed, decides nothing
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
	char b[20];
	LK(m);
	n++;
	snprintf(b, 20, "%d", n);
	UL(m);
	puts(b);
	out = x;
	return 0;
}
int main(void)
{
	run2(t1, t2);
	return 0;
}
