/* strcpy(local, buf) under the lock, puts(local), racy x after it: text copied and only printed fixes the order (also memcpy + %s: v/g13.c; snprintf + write: v/g16.c; printf("%d", n): found)
   Failing order: t2 before t1's region
   Shown with -DFAIL: TSan (-O0): data race */
#include "hostile.h"
#include <stdatomic.h>
MX(m);
CV(c);
static int x, n, out;
static struct timespec far = {4000000000, 0};
static char buf[32];
void *t1(void *q)
{
	B(3000);
	x = 1;
	LK(m);
	strcpy(buf, "hello");
	UL(m);
	return 0;
}
void *t2(void *q)
{
	G(6000);
	char l[32];
	LK(m);
	strcpy(l, buf);
	UL(m);
	puts(l);
	out = x;
	return 0;
}
int main(void)
{
	run2(t1, t2);
	return 0;
}
