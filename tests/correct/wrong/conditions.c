/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * check: --model $SRC/../settle.model
 * cc: -DCASE=0 settle.o
 * cc: -DCASE=1 settle.o
 * cc: -DCASE=2 settle.o
 * cc: -DCASE=3 settle.o
 * cc: -DCASE=4 settle.o
 * cc: -DCASE=5 settle.o
 * finding: ^assertion .* predicted at conditions.c
 * silent: -DCASE=0 -DFIXED settle.o
 * silent: -DCASE=1 -DFIXED settle.o
 * silent: -DCASE=2 -DFIXED settle.o
 * silent: -DCASE=3 -DFIXED settle.o
 * silent: -DCASE=4 -DFIXED settle.o
 * silent: -DCASE=5 -DFIXED settle.o
 * silent: -DCASE=6 settle.o
 */
/* Conditions of two values that are one assertion in the source and several branches without optimisation: "and" under "or", and the other
 * way round, and locals that branches set. What no schedule makes false (6) is silent. */
#include "../settle.h"
#include "open/lucky.h"

static _Alignas(64) int x_;
static _Alignas(64) int y_;
MX(m);

T(setter)
{
	L(m);
	x_ = 1;
	W(U(m); L(m);)
	y_ = -1;
	U(m);
	return 0;
}

T(checker)
{
	L(m);
	int x = x_, y = y_;
	U(m);
#if CASE == 0
	assert((x == 0 && y == 0) || (x == 1 && y == -1));
#elif CASE == 1
	assert((x == 0 || y == -1) && (x == 1 || y == 0));
#elif CASE == 2
	if (x == 1)
		if (y != -1 || x == 7)
			abort();
#elif CASE == 3
	int good = 1;
	if (x != -y)
		good = 0;
	assert(good);
#elif CASE == 4
	assert(x == 0 ? y == 0 : y == -1);
#elif CASE == 5
	assert(!(x == 1 && !(y == -1)));
#else
	assert((x == 0 && y == 0) || x == 1 || y == -1);
#endif
	return 0;
}

int main(void)
{
	pthread_t t[2];
	GO(t[0], setter, 0);
	settle();
	GO(t[1], checker, 0);
	WAIT(t[0]);
	WAIT(t[1]);
	return 0;
}
