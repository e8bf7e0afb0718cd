/* umask(0) for a moment, other thread asserts umask
   Failing order: t2 inside
   Shown with -DFAIL: assert yes */
#include "hostile.h"
void *t1(void *q)
{
	mode_t o = umask(0);
	B(3000);
	umask(o);
	return 0;
}
void *t2(void *q)
{
	G(3000);
	B(1000);
	mode_t o = umask(022);
	umask(o);
	assert(o == 022);
	return 0;
}
int main(void)
{
	umask(022);
	run2(t1, t2);
	return 0;
}
