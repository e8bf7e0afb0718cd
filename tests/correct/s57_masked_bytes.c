/* norn-test
 * silent:
 * silent: -O3
 * silent: -O3 -march=x86-64-v3
 * silent: -Os
 * unjudged:
 */
/* Correct: each thread reads and writes the elements that its mask names, of several widths */
#include "correct.h"
#define N 128
static unsigned char b[N], mask[2][N];
static short s[N];
static float f[N];
static double o[N];
static struct {
	char r, g, bl;
} px[N];
__attribute__((noinline)) static void go(const unsigned char *restrict m)
{
	for (int i = 0; i < N; i++)
		if (m[i])
			b[i] = (unsigned char)(b[i] + 3);
	for (int i = 0; i < N; i++)
		if (m[i])
			s[i] = (short)(s[i] > 4 ? s[i] : 4);
	for (int i = 0; i < N; i++)
		if (m[i])
			o[i] = f[i] * 2.0;
	for (int i = 0; i < N; i++)
		if (m[i])
			px[i].g = (char)(px[i].r + 1);
}
T(w)
{
	go(mask[(intptr_t)a]);
	if (a)
		for (int i = 0; i < N; i += 2)
			f[i] = 1, px[i].bl = 3;
	return 0;
}
int main(void)
{
	pthread_t x, y;
	for (int i = 0; i < N; i++)
		mask[i % 3 == 0 || i % 2 == 0][i] = 1;
	GO(x, w, 0);
	GO(y, w, 1);
	WAIT(x);
	WAIT(y);
	int n = 0;
	for (int i = 0; i < N; i++)
		n += b[i];
	printf("%d\n", n);
	return n != 3 * N;
}
