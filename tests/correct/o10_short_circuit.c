/* norn-test
 * silent:
 * silent: -O3
 * silent: -Os
 * unjudged:
 */
/* Correct: the second operand is read only if the first holds, which it does not in this thread */
#include "correct.h"
static struct {
	int on, n;
} s[2];
static int extra;
__attribute__((noinline)) static int test(int i)
{
	return s[i].on && extra > 3 && s[i].n < 9;
}
T(w)
{
	int r = 0;
	for (int k = 0; k < 20; k++)
		r |= test(0);
	return (void *)(intptr_t)r;
}
T(v)
{
	for (int k = 0; k < 20; k++) {
		extra = k;
		s[1].n += test(1);
	}
	return a;
}
int main(void)
{
	pthread_t x, y;
	s[1].on = 1;
	GO(x, w, 0);
	GO(y, v, 0);
	WAIT(x);
	WAIT(y);
	printf("%d\n", s[1].n);
	return 0;
}
