/* norn-test
 * silent:
 * silent: -O3
 * silent: -Os
 * unjudged:
 */
/* Correct: memset and memcpy of neighbouring parts */
#include "correct.h"
static char b[100], c[100];
T(w)
{
	memset(b, 1, 37);
	memcpy(c + 1, b, 36);
	memmove(c + 2, c + 1, 30);
	return a;
}
T(u)
{
	memset(b + 37, 2, 63);
	memcpy(c + 37, b + 37, 63);
	c[0] = 9;
	return a;
}
int main(void)
{
	pthread_t x, y;
	int n = 0;
	GO(x, w, 0);
	GO(y, u, 0);
	WAIT(x);
	WAIT(y);
	for (int i = 0; i < 100; i++)
		n += b[i] + c[i];
	printf("%d\n", n);
	return 0;
}
