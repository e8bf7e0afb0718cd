/* norn-test
 * silent:
 * silent: -O3
 * silent: -Os
 * unjudged:
 */
/* Correct: the maximum is stored only if it grows, which it does not in this thread */
#include "correct.h"
static int max = 100;
static int v[40];
T(w)
{
	for (int i = 0; i < 40; i++)
		if (v[i] > 1000)
			max = v[i];
	return a;
}
T(r)
{
	static int seen;
	for (int i = 0; i < 10; i++)
		seen += max;
	printf("%d\n", seen);
	return a;
}
int main(void)
{
	pthread_t x, y;
	GO(x, w, 0);
	GO(y, r, 0);
	WAIT(x);
	WAIT(y);
	return 0;
}
