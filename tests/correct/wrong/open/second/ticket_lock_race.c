/* RACE hidden by a ticket lock (fetch_add, while (serving != t)): the values shift; spinlock, CAS lock, futex lock: found
   Failing order: t2 takes ticket 0
   Shown with -DFAIL: tsan yes */
#include "hostile.h"
#include <stdatomic.h>
static atomic_uint next_, serving;
static int x, n;
static void lock(void)
{
	unsigned t = atomic_fetch_add(&next_, 1);
	while (atomic_load(&serving) != t)
		;
}
static void unlock(void)
{
	atomic_fetch_add(&serving, 1);
}
void *t1(void *q)
{
	B(3000);
	x = 1;
	lock();
	n++;
	unlock();
	return 0;
}
void *t2(void *q)
{
	G(3000);
	lock();
	n++;
	unlock();
	return (void *)(long)x;
}
int main(void)
{
	run2(t1, t2);
	return 0;
}
