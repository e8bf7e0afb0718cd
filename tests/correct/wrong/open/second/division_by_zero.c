/* total / workers under the lock: workers is 0 in the other order (SIGFPE)
   Failing order: avg before reg
   Shown with -DFAIL: exit yes */
#include "hostile.h"
MX(m);
static int total, workers = 0;
void *reg(void *p)
{
	B(2000);
	LK(m);
	workers = 2;
	total = 10;
	UL(m);
	return 0;
}
void *avg(void *p)
{
	G(2000);
	LK(m);
	int a = total / workers;
	UL(m);
	printf("%d\n", a);
	return 0;
}
int main(void)
{
	run2(reg, avg);
	return 0;
}
