/* norn-test
 * silent:
 * silent: -O3
 * silent: -Os
 * unjudged:
 */
/* Correct: the loop has no turns in this thread */
#include "correct.h"
static long total, step = 3;
static int v[64];
__attribute__((noinline)) static void run(int n)
{
	for (int i = 0; i < n; i++) {
		total += step;
		v[i] += (int)total;
	}
}
T(w)
{
	for (int i = 0; i < 10; i++)
		run(0);
	return a;
}
T(u)
{
	run(64);
	step = 5;
	run(10);
	return a;
}
int main(void)
{
	pthread_t x, y;
	GO(x, w, 0);
	GO(y, u, 0);
	WAIT(x);
	WAIT(y);
	printf("%ld %d\n", total, v[5]);
	return 0;
}
