/* srand(1); rand() != first: another thread's srand between
   Failing order: t2 between t1's calls
   Shown with -DFAIL: exit yes */
#include "hostile.h"
static int first;
void *t1(void *q)
{
	srand(1);
	B(2000);
	if (rand() != first)
		abort();
	return 0;
}
void *t2(void *q)
{
	G(3000);
	B(1000);
	srand(7);
	return 0;
}
int main(void)
{
	srand(1);
	first = rand();
	run2(t1, t2);
	return 0;
}
