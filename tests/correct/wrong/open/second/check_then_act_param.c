/* if (v > k) mx = v: v is a parameter of a function that is not inlined, so the test counts as fixed; assert(mx == 9) after the joins
   Failing order: a reads 0, b reads 0 and sets 9, a sets 5
   Shown with -DFAIL: by reasoning */
#include "hostile.h"
MX(m);
static int mx;
__attribute__((noinline)) static void upd(int v)
{
	LK(m);
	int k = mx;
	UL(m);
	if (v > k) {
		B(3000);
		LK(m);
		mx = v;
		UL(m);
	}
}
void *a(void *q)
{
	upd(5);
	return 0;
}
void *b(void *q)
{
	G(3000);
	B(1000);
	upd(9);
	return 0;
}
int main(void)
{
	run2(a, b);
	assert(mx == 9);
	return 0;
}
