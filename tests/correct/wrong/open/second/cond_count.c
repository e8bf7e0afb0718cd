/* count under a condition variable: while (n == 0) wait; n--; another producer's n++ could have woken it, the values shift (V6/V7), all branches the same: racy x not found (with n = 1 in place of n++: found, v/cv2.c)
   Failing order: t3 wakes t2 before t1 writes x
   Shown with -DFAIL: TSan (-O0): data race */
#include "hostile.h"
MX(m);
CV(c);
static int x, n, out;
void *t1(void *q)
{
	G(3000);
	B(3000);
	x = 1;
	LK(m);
	n++;
	pthread_cond_signal(&c);
	UL(m);
	return 0;
}
void *t3(void *q)
{
	G(9000);
	LK(m);
	n++;
	pthread_cond_signal(&c);
	UL(m);
	return 0;
}
void *t2(void *q)
{
	LK(m);
	while (n == 0)
		pthread_cond_wait(&c, &m);
	n--;
	UL(m);
	out = x;
	return 0;
}
int main(void)
{
	run3(t1, t2, t3);
	return 0;
}
