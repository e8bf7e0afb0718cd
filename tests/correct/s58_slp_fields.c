/* norn-test
 * silent:
 * silent: -O3
 * silent: -O3 -march=x86-64-v3
 * silent: -flto -O3
 */
/* Correct: fields of one struct belong to two locks, in turn */
#include "correct.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static struct {
	int a, b, c, d;
	char e, f, g, h;
	short i, j, k, l;
	long p, q;
} s;
__attribute__((noinline)) static void one(int v)
{
	s.a += v;
	s.b += v;
	s.e = (char)v;
	s.f = (char)v;
	s.i = 1;
	s.k = 2;
	s.p = v;
}
__attribute__((noinline)) static void two(int v)
{
	s.c += v;
	s.d += v;
	s.g = (char)v;
	s.h = (char)v;
	s.j = 1;
	s.l = 2;
	s.q = v;
}
T(w)
{
	for (int i = 0; i < 4; i++)
		if (a) {
			L(m);
			one(i);
			U(m);
		} else {
			L(n);
			two(i);
			U(n);
		}
	return 0;
}
int main(void)
{
	pthread_t x, y;
	GO(x, w, 0);
	GO(y, w, 1);
	WAIT(x);
	WAIT(y);
	printf("%d\n", s.a + s.d);
	return s.a + s.d != 12;
}
