/* norn-test
 * silent:
 * silent: -O3
 * silent: -Os
 * unjudged:
 */
/* Correct: only elements whose key is the thread's are touched */
#include "correct.h"
static int v[96];
static char key[96];
__attribute__((noinline)) static void add(int *restrict q, const char *restrict k, char me)
{
	for (int i = 0; i < 96; i++)
		if (k[i] == me)
			q[i] += i;
}
T(w)
{
	add(v, key, (char)(intptr_t)a);
	return 0;
}
int main(void)
{
	pthread_t x, y;
	int n = 0;
	for (int i = 0; i < 96; i++)
		key[i] = (char)(i % 3 == 0);
	GO(x, w, 0);
	GO(y, w, 1);
	WAIT(x);
	WAIT(y);
	for (int i = 0; i < 96; i++)
		n += v[i];
	printf("%d\n", n);
	return n != 95 * 96 / 2;
}
