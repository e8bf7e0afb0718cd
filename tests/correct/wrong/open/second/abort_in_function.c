/* reach_error() { abort(); } called under if (x != y)
   Failing order: as 1
   Shown with -DFAIL: fails rc 134 */
#include "hostile.h"
MX(m);
static int a, b;
void reach_error(void)
{
	abort();
}
void *w(void *p)
{
	G(3000);
	LK(m);
	a++;
	UL(m);
	B(1000);
	LK(m);
	b++;
	UL(m);
	return 0;
}
void *r(void *p)
{
	B(500);
	LK(m);
	int x = a, y = b;
	UL(m);
	if (x != y) {
		reach_error();
	}
	return 0;
}
int main(void)
{
	run2(r, w);
	return 0;
}
