/* norn-test
 * silent:
 * silent: -O3
 * silent: -Os
 * unjudged:
 */
/* Correct: a zero-width bit-field parts the two threads' bit-fields */
#include "correct.h"
static struct {
	unsigned a : 3, b : 7;
	unsigned : 0;
	unsigned c : 5, d : 9;
	unsigned char e;
	unsigned f : 4;
} s;
T(w)
{
	for (unsigned i = 0; i < 20; i++) {
		s.a = i & 7;
		s.b += s.a;
	}
	return a;
}
T(v)
{
	for (unsigned i = 0; i < 20; i++) {
		s.c = i & 31;
		s.d += s.c;
		if (i == 9)
			s.f = 3;
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
	printf("%u %u %u %u %u\n", s.a, s.b, s.c, s.d, s.f);
	return 0;
}
