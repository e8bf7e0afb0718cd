/* norn-test
 * silent:
 * silent: -O3
 * silent: -Os
 * silent: -Oz
 * silent: -flto -O2
 * unjudged:
 */
/* Correct: sums that a loop would add to if it were told to; only one thread is */
#include "correct.h"
static __int128 big;
static long double ld;
static float fl;
static _Complex double cx;
static struct {
	unsigned a : 5, b : 11;
	short s;
	char c;
} bits;
static unsigned char small;
static _Bool any;
static int *at;
__attribute__((noinline)) static void loop(const int *v, int n, int k)
{
	for (int i = 0; i < n; i++) {
		if (k) {
			big += v[i];
			ld += v[i];
			fl += (float)v[i];
			cx += v[i];
			bits.b += (unsigned)v[i];
			bits.s += (short)v[i];
			small ^= (unsigned char)v[i];
			any |= v[i] > 3;
			*at += v[i];
		}
	}
}
__attribute__((noinline)) static void until(const int *v, int n, int k)
{
	int i = 0;
	while (i < n && v[i] >= 0) {
		if (v[i] == k)
			small++;
		else if (v[i] == k + 1)
			fl = fl > v[i] ? fl : (float)v[i];
		i++;
	}
}
T(w)
{
	int v[20];
	for (int i = 0; i < 20; i++)
		v[i] = i;
	loop(v, 20, (int)(intptr_t)a);
	until(v, 20, a ? 5 : 100);
	return 0;
}
int main(void)
{
	pthread_t x, y;
	static int there;
	at = &there;
	GO(x, w, 1);
	GO(y, w, 0);
	WAIT(x);
	WAIT(y);
	printf("%d %d %d\n", (int)big, there, any);
	return 0;
}
