/* norn-test
 * silent:
 * silent: -O3
 * silent: -Os
 * unjudged:
 */
/* Correct: the copy is of the thread's own part of the structure */
#include "correct.h"
struct part {
	long a, b, c, d;
	char e;
};
static struct {
	struct part p, q;
	char z;
} s, t;
T(w)
{
	for (int i = 0; i < 10; i++) {
		t.p = s.p;
		t.p.e++;
		s.p = t.p;
	}
	return a;
}
T(u)
{
	for (int i = 0; i < 10; i++) {
		s.q.e = (char)i;
		s.q.a++;
		t.q = s.q;
		s.z = t.z;
	}
	return a;
}
int main(void)
{
	pthread_t x, y;
	GO(x, w, 0);
	GO(y, u, 0);
	WAIT(x);
	WAIT(y);
	printf("%d %ld %d\n", s.p.e, t.q.a, s.q.e);
	return 0;
}
