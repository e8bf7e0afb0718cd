/* relaxed publication, hidden by a mutex that both happen to take: not claimed outside the recorded order, yet "complete"
   Failing order: t2's region before t1's, then ready is read
   Shown with -DFAIL: tsan yes */
#include "hostile.h"
#include <stdatomic.h>
MX(m);
static int data, n;
static atomic_int ready;
void *t1(void *q)
{
	data = 42;
	atomic_store_explicit(&ready, 1, memory_order_relaxed);
	LK(m);
	n++;
	UL(m);
	return 0;
}
void *t2(void *q)
{
	G(3000);
	LK(m);
	n++;
	UL(m);
	if (atomic_load_explicit(&ready, memory_order_relaxed))
		printf("%d\n", data);
	return 0;
}
void *t3(void *q)
{
#ifdef FAIL
	while (!atomic_load_explicit(&ready, memory_order_relaxed))
		;
	printf("%d\n", data);
#endif
	return 0;
}
int main(void)
{
	run3(t1, t2, t3);
	return 0;
}
