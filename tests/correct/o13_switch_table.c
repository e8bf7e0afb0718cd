/* norn-test
 * silent:
 * silent: -O3
 * silent: -Os
 * unjudged:
 */
/* Correct: each case reads a variable of its own; only case 0 comes in this thread */
#include "correct.h"
static int v0 = 1, v1 = 2, v2 = 3, v3 = 4;
__attribute__((noinline)) static int get(int k)
{
	switch (k) {
	case 0:
		return v0;
	case 1:
		return v1;
	case 2:
		return v2;
	default:
		return v3;
	}
}
T(w)
{
	int n = 0;
	for (int i = 0; i < 20; i++)
		n += get(0);
	return (void *)(intptr_t)n;
}
T(u)
{
	for (int i = 0; i < 20; i++) {
		v1 += get(2);
		v2 = get(1) & 15;
		v3++;
	}
	return a;
}
int main(void)
{
	pthread_t x, y;
	void *r;
	GO(x, w, 0);
	GO(y, u, 0);
	pthread_join(x, &r);
	WAIT(y);
	printf("%d %d %d %d\n", (int)(intptr_t)r, v1, v2, v3);
	return 0;
}
