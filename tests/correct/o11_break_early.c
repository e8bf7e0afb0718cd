/* norn-test
 * silent:
 * silent: -O3
 * silent: -Os
 * unjudged:
 */
/* Correct: the loop ends before it comes to the other thread's elements */
#include "correct.h"
static int v[32] = {1, 2, 3, 4, 0};
T(w)
{
	int n = 0;
	for (int i = 0; i < 32; i++) {
		if (!v[i])
			break;
		n += v[i];
	}
	return (void *)(intptr_t)n;
}
T(u)
{
	for (int i = 5; i < 32; i++)
		v[i] = i;
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
	printf("%d %d\n", (int)(intptr_t)r, v[31]);
	return 0;
}
