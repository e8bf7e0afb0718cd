/* flockfile(stdout)/flockfile(stderr), ABBA; also flockfile and mutex (wrong/d_flockfile.c)
   Failing order: each takes its first
   Shown with -DFAIL: hang yes */
#include "hostile.h"
void *t1(void *q)
{
	flockfile(stderr);
	B(2000);
	flockfile(stdout);
	puts("x");
	funlockfile(stdout);
	funlockfile(stderr);
	return 0;
}
void *t2(void *q)
{
	G(2000);
	flockfile(stdout);
	B(2000);
	flockfile(stderr);
	puts("y");
	funlockfile(stderr);
	funlockfile(stdout);
	return 0;
}
int main(void)
{
	run2(t1, t2);
	return 0;
}
