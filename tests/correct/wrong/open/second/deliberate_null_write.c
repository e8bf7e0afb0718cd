/* if (x != y) *(volatile int *)0 = 1; also error(1, ..): v/f4.c
   Failing order: as above
   Shown with -DFAIL: fails rc 139 */
#include "hostile.h"
#include <err.h>
#include <error.h>
MX(m);
static int a, b;

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
	if (x != y)
		*(volatile int *)0 = 1;
	return 0;
}
int main(void)
{
	run2(r, w);
	return 0;
}
