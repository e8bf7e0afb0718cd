/* norn cc -g -O1 -pthread false_complete_branch_forms.c -o w && norn run ./w      (every recording)
 * reported: 0 findings; complete.
 * should be: race on x. main/2 reads g (recorded: 2; in the other order 0 or 1), a branch on it comes out the same for
 * 0, 1 and 2, then x = 2; main/1 writes x between two regions. (V6)
 * 22 forms of the branch tried (the file has `if (ok(v))`, a function that is not inlined). Race found at -O0 and -O1:
 *   v < 10; v >= 0; v != 5; v >= 0 && v < 100; v < 50 || v > 90; !(v & 8); while (v > 50); t = v * 2 + 1, t < 30; v > 20
 * goto; nested ifs; v < 10 && strcmp("a", "b")
 * MISSED at -O0 and -O1, complete: ok(v), a function's result; v < n, n a local that is no constant; v < lim[0], another
 * load; v + u2 < 40, two loads; names[v != 9], a table
 * MISSED at -O0 only, complete: if (v > 20) return 0; for (i < 3) if (v > 50) return 0; switch (v); t = v > 5 ? 1 : 0,
 * !t; v % 2 == 0 || v >= 0; a double
 * At -O0 the early return is the most common form there is (`goto out` in its place is found). */

#include "lucky.h"

MX(m);
static int g, g2, x;
static int lim[2] = {10, 20};
static const char *names[2] = {0, "y"};
static int n = 10;
__attribute__((noinline)) static int ok(int v)
{
	return v < 10;
}
T(w1)
{
	L(m);
	g = 1;
	U(m);
	x = 1;
	L(m);
	g = 2;
	U(m);
	return 0;
}
T(w2)
{
	int n = 10 + (a != 0);
	(void)n;
	L(m);
	int v = g;
	U(m);
	(void)ok;
	(void)lim;
	(void)names;
	(void)g2;
	if (ok(v)) {
		x = 2;
	}
	return 0;
}
int main(void)
{
	pthread_t a, b;
	GO(a, w1, 0);
	nap(12);
	GO(b, w2, 0);
	WAIT(a);
	WAIT(b);
	(void)n;
	return 0;
}
