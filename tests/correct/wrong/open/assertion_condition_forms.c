/* norn cc -g -O1 -pthread assertion_condition_forms.c -o w && norn run ./w      (-O0, -O1)
 * reported: 0 findings; complete.
 * should be: assertion fails: good(X) (a lost update; X is 1). 28 forms of the condition over one variable tried at -O0
 * and -O1.
 * Predicted: X == 2, X != 1, X >= 2, X + Y == 2, && and !, X & 1, X % 2, X * 3 - 1, -X, (long)X * 1000000000L,
 * (unsigned)X, X > Y + 1, X == want, goodp(&X) (reads it itself), ?:.
 * Not predicted at either level, complete: good(X), a predicate that is given the value (not inlined:
 * `assert(is_valid(state))` is the usual form; docs/findings.md says arguments of functions that
 * check, and results, are followed: not the result of a function that is made of its argument); A[X] == 7 (table);
 * names[X] with strlen or strcmp; abs(X) == 2; __builtin_popcount(X) == 1; X / 2.0 == 1.0.
 * Not predicted at -O0 only: is2(X) with static inline (the same cause); memcmp(&X, &two, sizeof X) == 0; &A[X] ==
 * &A[2]; a local that was set before a loop, or in one. */

#include "lucky.h"

MX(m);
static int X, Y, want = 2;
static const int two = 2;
static int A[4] = {1, 3, 7, 9};
static const char *names[3] = {"zero", "on", "two"};
__attribute__((noinline)) static int good(int v)
{
	return v == 2;
}
__attribute__((noinline)) static int goodp(int *v)
{
	return *v == 2;
}
static inline int is2(int v)
{
	return v * v == 4;
}
T(w)
{
	L(m);
	int v = X;
	U(m);
	L(m);
	X = v + 1;
	U(m);
	return 0;
}
int main(void)
{
	pthread_t a, b;
	(void)good;
	(void)goodp;
	(void)is2;
	(void)names;
	(void)A;
	(void)two;
	(void)want;
	(void)Y;
	GO(a, w, 0);
	nap(12);
	GO(b, w, 0);
	WAIT(a);
	WAIT(b);
	assert(good(X));
	return 0;
}
