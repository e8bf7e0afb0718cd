/* tab[pos] under the lock, pos not set in the other order
   Failing order: use before set
   Shown with -DFAIL: asan yes */
#include "hostile.h"
MX(m);
static int tab[4] = {1, 2, 3, 4};
static int pos = 100000000;
void *set(void *p)
{
	B(2000);
	LK(m);
	pos = 2;
	UL(m);
	return 0;
}
void *use(void *p)
{
	G(2000);
	LK(m);
	int v = tab[pos];
	UL(m);
	printf("%d\n", v);
	return 0;
}
int main(void)
{
	run2(set, use);
	return 0;
}
