/* norn-test
 * silent:
 * silent: -O3
 * silent: -Os
 * unjudged:
 */
/* Norn said, falsely (1ef9590 to 5becc41): -Os: race g predicted at line 0.
 * Correct: the pointer is followed only if it is not null; this thread's is null */
#include "correct.h"
static int g = 1;
__attribute__((noinline)) static int sum(const int *q, int n)
{
	int r = 0;
	for (int i = 0; i < n; i++)
		if (q)
			r += *q;
	return r;
}
__attribute__((noinline)) static void addn(int *q, int n, int on)
{
	for (int i = 0; i < n; i++)
		if (on)
			*q += i;
}
T(w)
{
	addn(&g, 20, 0);
	return (void *)(intptr_t)sum(0, 20);
}
T(u)
{
	for (int i = 0; i < 10; i++)
		g = sum(&g, 2) & 255;
	addn(&g, 20, 1);
	return a;
}
int main(void)
{
	pthread_t x, y;
	GO(x, w, 0);
	GO(y, u, 0);
	WAIT(x);
	WAIT(y);
	printf("%d\n", g);
	return 0;
}
