/* futex wait after the wake, value never changes
   Failing order: t2 wakes before t1 waits
   Shown with -DFAIL: hang yes */
#include "hostile.h"
#include <linux/futex.h>
#include <sys/syscall.h>
static int f;
MX(m);
static int x;
void *t1(void *q)
{
	B(3000);
	LK(m);
	x++;
	UL(m);
	syscall(SYS_futex, &f, FUTEX_WAIT, 0, 0, 0, 0);
	return 0;
}
void *t2(void *q)
{
	G(5000);
	LK(m);
	x++;
	UL(m);
	syscall(SYS_futex, &f, FUTEX_WAKE, 1, 0, 0, 0);
	return 0;
}
int main(void)
{
	run2(t1, t2);
	return 0;
}
