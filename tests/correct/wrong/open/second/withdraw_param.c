/* withdraw(n): b = get(); if (b >= n) set(b - n); lost update, assertion after the joins
   Failing order: both get() before both set()
   Shown with -DFAIL: fails rc 134 */
#include "hostile.h"
MX(m);
static int bal = 100;
__attribute__((noinline)) static int get(void)
{
	LK(m);
	int b = bal;
	UL(m);
	return b;
}
__attribute__((noinline)) static void set(int v)
{
	LK(m);
	bal = v;
	UL(m);
}
__attribute__((noinline)) static void take(int n)
{
	int b = get();
	B(3000);
	if (b >= n)
		set(b - n);
}
void *a(void *q)
{
	take(30);
	return 0;
}
void *b(void *q)
{
	G(3000);
	B(1000);
	take(20);
	return 0;
}
int main(void)
{
	run2(a, b);
	assert(get() == 50);
	return 0;
}
