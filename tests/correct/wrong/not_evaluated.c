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
 * check-exit: 3
 * finding-count: 0
 * note: a failing assertion may be missing: its condition goes by what is read at not_evaluated.c
 */
/* An update that is lost, and assertions that Norn cannot evaluate: the verdict must not be complete. A predicate that is given the value,
 * a table, a text, functions of libc, a floating-point number. */
#include "../settle.h"
#include "open/lucky.h"

MX(m);
#if CASE == 5
static double X;
#else
static int X;
#endif
static int A[4] = {1, 3, 7, 9};
static const char *volatile names[3] = {"zero", "one", "two"};

__attribute__((noinline)) static int good(int v)
{
	return v * v == 4;
}

T(w)
{
	L(m);
	__typeof__(X) v = X;
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
	settle();
	GO(b, w, 0);
	WAIT(a);
	WAIT(b);
#if CASE == 0
	assert(good(X));
#elif CASE == 1
	assert(A[X] == 7);
#elif CASE == 2
	assert(strcmp(names[X], "two") == 0);
#elif CASE == 3
	assert(abs(X) == 2);
#elif CASE == 4
	assert(X / 2.0 == 1.0);
#elif CASE == 5
	assert(X == 2);
#endif
	(void)good;
	(void)A;
	(void)names;
	return 0;
}
