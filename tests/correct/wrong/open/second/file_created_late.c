/* one thread creates the file, the other asserts open() >= 0
   Failing order: t2 before t1
   Shown with -DFAIL: assert yes */
#include "hostile.h"
#define P "/tmp/hb/out/order.tmp"
void *t1(void *q)
{
	B(3000);
	close(open(P, O_CREAT | O_RDWR, 0600));
	return 0;
}
void *t2(void *q)
{
	G(3000);
	int f = open(P, O_RDONLY);
	assert(f >= 0);
	close(f);
	return 0;
}
int main(void)
{
	unlink(P);
	run2(t1, t2);
	unlink(P);
	return 0;
}
