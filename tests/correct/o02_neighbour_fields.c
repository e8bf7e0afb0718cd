/* norn-test
 * silent:
 * silent: -O3
 * silent: -Os
 * unjudged:
 */
/* Correct: each thread writes fields of its own */
#include "correct.h"
static struct {
	char a, b;
	short c;
	int d;
	char e[3], f;
} s;
T(w)
{
	for (int i = 0; i < 20; i++) {
		s.a = (char)i;
		s.c = (short)(s.c + i);
		s.e[1] = (char)(s.a + s.c);
	}
	return a;
}
T(v)
{
	for (int i = 0; i < 20; i++) {
		s.b = (char)i;
		s.d += i;
		s.e[0] = s.e[2] = (char)i;
		s.f = (char)(s.b + 1);
	}
	return a;
}
int main(void)
{
	pthread_t x, y;
	GO(x, w, 0);
	GO(y, v, 0);
	WAIT(x);
	WAIT(y);
	printf("%d %d %d %d %d %d %d %d\n", s.a, s.b, s.c, s.d, s.e[0], s.e[1], s.e[2], s.f);
	return 0;
}
