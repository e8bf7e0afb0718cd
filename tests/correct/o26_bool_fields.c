/* norn-test
 * silent:
 * silent: -O3
 * silent: -Os
 * unjudged:
 */
/* Correct: flags side by side: one thread sets its own, under conditions */
#include "correct.h"
#include <stdbool.h>
static struct {
	bool a, b, c, d;
} f = {1, 0, 0, 0};
T(w)
{
	for (int i = 0; i < 20; i++) {
		if (f.a && i == 19)
			f.a = false;
		if (!f.a)
			f.c = true;
	}
	return a;
}
T(u)
{
	for (int i = 0; i < 20; i++) {
		f.b = !f.b;
		if (i > 10)
			f.d = f.b;
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
	printf("%d%d%d%d\n", f.a, f.b, f.c, f.d);
	return 0;
}
