/* norn-test
 * silent:
 * silent: -O3
 * silent: -Os
 * unjudged:
 */
/* Correct: the threads fill halves of the array that meet in one word */
#include "correct.h"
static char b[67];
T(w)
{
	for (int i = 0; i < 33; i++)
		b[i] = (char)(i * 3);
	return a;
}
T(v)
{
	for (int i = 33; i < 67; i++)
		b[i] = (char)(i ^ 5);
	return a;
}
int main(void)
{
	pthread_t x, y;
	int n = 0;
	GO(x, w, 0);
	GO(y, v, 0);
	WAIT(x);
	WAIT(y);
	for (int i = 0; i < 67; i++)
		n += b[i];
	printf("%d\n", n);
	return 0;
}
