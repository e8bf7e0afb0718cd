/* norn-test
 * silent:
 * silent: -O3
 * silent: -Os
 * unjudged:
 */
/* Correct: both branches store, but to the thread's own variable; the common store may be sunk */
#include "correct.h"
static struct {
	int v[2], pad;
} s;
__attribute__((noinline)) static void upd(int *q, int c)
{
	for (int i = 0; i < 12; i++) {
		if ((c + i) & 1)
			*q += i;
		else if (c > 5)
			*q -= i;
		else
			s.pad += c > 100;
	}
}
T(w)
{
	upd(&s.v[0], 9);
	return a;
}
T(u)
{
	upd(&s.v[1], 8);
	return a;
}
int main(void)
{
	pthread_t x, y;
	GO(x, w, 0);
	GO(y, u, 0);
	WAIT(x);
	WAIT(y);
	printf("%d %d %d\n", s.v[0], s.v[1], s.pad);
	return 0;
}
