/* mprotect(PROT_READ) under the lock, the other thread writes under the lock: SIGSEGV in the other order
   Failing order: un before use
   Shown with -DFAIL: exit yes */
#include "hostile.h"
static char *p;
MX(m);
void *use(void *q)
{
	B(3000);
	LK(m);
	p[5] = 1;
	UL(m);
	return 0;
}
void *un(void *q)
{
	G(3000);
	LK(m);
	mprotect(p, 4096, PROT_READ);
	UL(m);
	return 0;
}
int main(void)
{
	p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	run2(use, un);
	return 0;
}
