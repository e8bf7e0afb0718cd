/* norn-test
 * silent:
 * silent: -O3
 * silent: -Os
 * unjudged:
 */
/* Correct: the read that could be hoisted is behind a test that fails in this thread */
#include "correct.h"
static struct cfg {
	int mode, scale;
	struct cfg *next;
} *cur, c0, c1;
static int out;
__attribute__((noinline)) static int work(struct cfg *c, int n)
{
	int r = 0;
	for (int i = 0; i < n; i++) {
		if (c->mode == 2)
			r += i / c->scale + c->next->scale;
		r ^= i;
	}
	return r;
}
T(w)
{
	out = work(&c0, 40);
	return a;
}
T(u)
{
	for (int i = 1; i < 20; i++) {
		c0.scale = i;
		c1.scale = i * 2;
	}
	return a;
}
int main(void)
{
	pthread_t x, y;
	cur = &c0;
	c0.next = &c1;
	GO(x, w, 0);
	GO(y, u, 0);
	WAIT(x);
	WAIT(y);
	printf("%d %d\n", out, c1.scale + work(cur, 2));
	return 0;
}
