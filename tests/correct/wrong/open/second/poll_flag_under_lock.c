/* polls a flag by usleep with the lock that the setter needs
   Failing order: t2 before t1
   Shown with -DFAIL: hang yes */
#include "hostile.h"
MX(m);
MX(fl);
static int ready, x;
void *t1(void *q)
{
	B(2000);
	LK(m);
	x = 1;
	UL(m);
	LK(fl);
	ready = 1;
	UL(fl);
	return 0;
}
void *t2(void *q)
{
	G(2000);
	LK(m);
	for (;;) {
		LK(fl);
		int r = ready;
		UL(fl);
		if (r)
			break;
		usleep(1000);
	}
	x++;
	UL(m);
	return 0;
}
int main(void)
{
	run2(t1, t2);
	return 0;
}
