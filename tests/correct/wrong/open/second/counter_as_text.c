/* memcached incr: atol(get), set(snprintf) in two regions, assert at the end
   Failing order: t1 get, t2 get and set, t1 set
   Shown with -DFAIL: assert yes */
#include "hostile.h"
MX(m);
static char val[16] = "1";
static long get(void)
{
	LK(m);
	long v = atol(val);
	UL(m);
	return v;
}
static void set(long v)
{
	LK(m);
	snprintf(val, sizeof val, "%ld", v);
	UL(m);
}
void *t1(void *q)
{
	long v = get();
	B(3000);
	set(v + 1);
	return 0;
}
void *t2(void *q)
{
	G(3000);
	B(1000);
	set(get() + 1);
	return 0;
}
int main(void)
{
	run2(t1, t2);
	assert(get() == 3);
	return 0;
}
