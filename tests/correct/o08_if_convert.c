/* norn-test
 * silent:
 * silent: -O3
 * silent: -Os
 * unjudged:
 */
/* Correct: the small branches store to one variable or the other; each thread has its own */
#include "correct.h"
static int g[2];
__attribute__((noinline)) static void put(int c, int v)
{
	if (c)
		g[1] = v;
	else
		g[0] = v;
}
T(w)
{
	int c = (int)(intptr_t)a;
	for (int i = 0; i < 10; i++)
		put(c, i);
	return 0;
}
int main(void)
{
	pthread_t x, y;
	GO(x, w, 0);
	GO(y, w, 1);
	WAIT(x);
	WAIT(y);
	printf("%d %d\n", g[0], g[1]);
	return 0;
}
