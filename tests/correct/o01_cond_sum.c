/* norn-test
 * silent:
 * silent: -O3
 * silent: -Os
 * unjudged:
 */
/* Norn said, falsely (1ef9590 to 5becc41): -O1: race x predicted at line 0.
 * Correct: k is 0, so the loop never touches x, which the other thread writes */
#include "correct.h"
static int x, y, k;
T(w)
{
	for (int i = 0; i < 50; i++)
		if (k)
			x += i;
	return a;
}
T(v)
{
	x = 5;
	y = x + 1;
	return a;
}
int main(void)
{
	pthread_t s, t;
	GO(s, w, 0);
	GO(t, v, 0);
	WAIT(s);
	WAIT(t);
	printf("%d %d\n", x, y);
	return 0;
}
