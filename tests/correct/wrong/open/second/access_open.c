/* access(), then open() asserted; other thread unlinks
   Failing order: t2 between
   Shown with -DFAIL: assert yes */
#include "hostile.h"
#define P "/tmp/hb/out/toctou.tmp"
void *t1(void *q)
{
	if (access(P, R_OK) == 0) {
		B(3000);
		int f = open(P, O_RDONLY);
		assert(f >= 0);
		close(f);
	}
	return 0;
}
void *t2(void *q)
{
	G(3000);
	B(1000);
	unlink(P);
	return 0;
}
int main(void)
{
	close(open(P, O_CREAT | O_RDWR, 0600));
	run2(t1, t2);
	return 0;
}
