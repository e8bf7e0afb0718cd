/* norn-test
 * silent:
 * silent: -O3
 * silent: -Os
 * unjudged:
 */
/* Norn said, falsely (1ef9590 to 5becc41): -O1, -O2, -Os: race total predicted at line 0.
 * Correct: the inner loop's row is the thread's own; the total is written only by thread 0 */
#include "correct.h"
static int m[4][8], total;
__attribute__((noinline)) static void rows(int lo, int hi, int count)
{
	for (int i = lo; i < hi; i++)
		for (int j = 0; j < 8; j++) {
			m[i][j] += i * j;
			if (count)
				total += m[i][j];
		}
}
T(w)
{
	int i = (int)(intptr_t)a;
	rows(2 * i, 2 * i + 2, i == 0);
	return 0;
}
int main(void)
{
	pthread_t x, y;
	GO(x, w, 0);
	GO(y, w, 1);
	WAIT(x);
	WAIT(y);
	printf("%d %d\n", total, m[3][7]);
	return 0;
}
