/* norn-test
 * silent:
 * silent: -O3
 * silent: -Os
 * unjudged:
 */
/* Correct: what a thread reads depends on its number: a or b, never both */
#include "correct.h"
static int p = 1, q = 2, out[2];
__attribute__((noinline)) static int pick(int c)
{
	int r = 0;
	for (int i = 0; i < 30; i++)
		r += c ? p : q;
	return r;
}
T(w)
{
	out[0] = pick(1);
	q = 7;
	return a;
}
int main(void)
{
	pthread_t x;
	GO(x, w, 0);
	WAIT(x);
	out[1] = pick(0);
	printf("%d %d\n", out[0], out[1]);
	return 0;
}
