/* norn cc -g -O1 -pthread false_complete_floating_point.c -o w && norn run ./w      (-O0, -O1, -O2)
 * reported: 0 findings; complete.
 * should be: assertion fails: X == 2 (lost update of a double). With int, long, short, unsigned char, _Bool and 14 kinds
 * of integer expressions it is predicted (all of 18 tried, all levels); double and
 * float never. Balances, sums and averages of doubles are common; values need not be evaluated in the general case to
 * see that the recorded constants add up - or say partial. */

#include "lucky.h"

MX(m);
static double X;
static int inc = 1;
static const int tab[2] = {0, 1};
__attribute__((noinline)) static double step(double v)
{
	return v + 1;
}
T(w)
{
	int arg = a != 0;
	(void)arg;
	L(m);
	double v = X;
	U(m);
	L(m);
	X = v + 1;
	U(m);
	return 0;
}
int main(void)
{
	pthread_t a, b;
	GO(a, w, 0);
	nap(12);
	GO(b, w, 1);
	WAIT(a);
	WAIT(b);
	(void)inc;
	(void)tab;
	(void)step;
	assert(X == 2);
	return 0;
}
