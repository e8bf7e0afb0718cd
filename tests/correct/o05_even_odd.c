/* norn-test
 * silent:
 * silent: -O3
 * silent: -Os
 * unjudged:
 */
/* Correct: one thread has the even elements, the other one the odd ones */
#include "correct.h"
static int v[64];
T(w)
{
	int o = (int)(intptr_t)a;
	for (int i = o; i < 64; i += 2)
		v[i] = v[i] * 3 + i;
	return 0;
}
int main(void)
{
	pthread_t x, y;
	int n = 0;
	GO(x, w, 0);
	GO(y, w, 1);
	WAIT(x);
	WAIT(y);
	for (int i = 0; i < 64; i++)
		n += v[i];
	printf("%d\n", n);
	return 0;
}
