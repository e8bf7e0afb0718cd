/* norn-test
 * silent:
 * silent: -O3
 * silent: -Os
 * unjudged:
 */
/* Correct: only elements of the thread's own are gathered */
#include "correct.h"
static int v[256], ix[2][40], out[2];
T(w)
{
	int i = (int)(intptr_t)a, n = 0;
	for (int k = 0; k < 40; k++)
		if (ix[i][k] >= 0)
			n += v[ix[i][k]]++;
	out[i] = n;
	return 0;
}
int main(void)
{
	pthread_t x, y;
	for (int k = 0; k < 40; k++) {
		ix[0][k] = k % 3 ? k : -1;
		ix[1][k] = k % 4 ? 100 + k : -1;
	}
	for (int k = 0; k < 256; k++)
		v[k] = k;
	GO(x, w, 0);
	GO(y, w, 1);
	WAIT(x);
	WAIT(y);
	printf("%d %d\n", out[0], out[1]);
	return 0;
}
