/* two spinlocks of atomic_flag, ABBA (documented limit, yet "complete"); and with a mutex: wrong/d_spincas.c
   Failing order: each its first
   Shown with -DFAIL: hang yes */
#include "hostile.h"
#include <stdatomic.h>
static atomic_flag a = ATOMIC_FLAG_INIT, b = ATOMIC_FLAG_INIT;
static int x;
static void lock(atomic_flag *f)
{
	while (atomic_flag_test_and_set(f))
		;
}
static void unlock(atomic_flag *f)
{
	atomic_flag_clear(f);
}
void *t1(void *q)
{
	lock(&a);
	B(2000);
	lock(&b);
	x++;
	unlock(&b);
	unlock(&a);
	return 0;
}
void *t2(void *q)
{
	G(2000);
	lock(&b);
	B(2000);
	lock(&a);
	x++;
	unlock(&a);
	unlock(&b);
	return 0;
}
int main(void)
{
	run2(t1, t2);
	return 0;
}
