/* (-O0) if (chk() < 0) return; chk() returns -1 or 0 from if (n > 500): usual C error codes; also int r = 0; if (..) r = -1; if (r < 0) (v/q16.c)
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
__attribute__((noinline)) static int chk(void)
{
	LK(m);
	n++;
	if (n > 500) {
		UL(m);
		return -1;
	}
	UL(m);
	return 0;
}
void *t2(void *q)
{
	G(6000);
	if (chk() < 0) {
		puts("over");
		return 0;
	}
	out = x;
	return 0;
}
int main(void)
{
	run2(t1, t2);
	return 0;
}
