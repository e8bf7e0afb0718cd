/* See false_complete_branch_forms.txt: -O0, `if (v > 20) return 0;`: 0 findings; complete. Should be: race on x (found
 * at -O1). */

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
	if (v > 20)
		return 0;
	{
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
