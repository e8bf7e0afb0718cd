/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * check: --model $SRC/../settle.model
 * cc: -DEND=0 settle.o
 * cc: -DEND=1 settle.o
 * cc: -DEND=2 settle.o
 * cc: -DEND=3 settle.o
 * cc: -DEND=4 settle.o
 * finding: ^assertion .* predicted at assertion_ends.c
 * silent: -DEND=0 -DFIXED settle.o
 * silent: -DEND=1 -DFIXED settle.o
 * silent: -DEND=2 -DFIXED settle.o
 * silent: -DEND=3 -DFIXED settle.o
 * silent: -DEND=4 -DFIXED settle.o
 * silent: -DEND=5 settle.o
 * silent: -DEND=6 settle.o
 * silent: -DEND=7 settle.o
 */
/* An update that is lost, and the ways in which a program says so: functions of its own that end it, error, raise. A function
 * that may as well end it in good order is no failure (5), nor is an exit with 0 (6), nor what main returns (7): many a program tells by
 * that what it has found. */
#include <err.h>
#include <error.h>
#include <signal.h>
#include <stdlib.h>

#include "../settle.h"
#include "open/lucky.h"

MX(m);
static int X;

__attribute__((noreturn, noinline)) static void die(const char *text)
{
	fputs(text, stderr);
	exit(1);
}

__attribute__((noreturn, noinline)) static void leave(int status, const char *text)
{
	fputs(text, stderr);
	exit(status);
}

__attribute__((noreturn, noinline)) static void fatal(const char *text)
{
	if (text)
		die(text);
	abort();
}

__attribute__((noreturn, noinline)) static void usage(int wrong)
{
	fputs("usage\n", stderr);
	if (wrong)
		exit(2);
	exit(0);
}

T(w)
{
	F(L(m); X++; U(m);)
	W(L(m); int v = X; U(m); L(m); X = v + 1; U(m);)
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
#if END == 0
	if (X != 2)
		die("X is wrong\n");
#elif END == 1
	if (X != 2)
		leave(3, "X is wrong\n");
#elif END == 2
	if (X != 2)
		fatal("X is wrong\n");
#elif END == 3
	if (X != 2)
		error(1, 0, "X is wrong");
#elif END == 4
	if (X != 2)
		raise(SIGABRT);
#elif END == 5
	if (X != 2)
		usage(X);
#elif END == 6
	if (X != 2)
		leave(0, "other\n");
#elif END == 7
	if (X != 2)
		return 1;
#endif
	(void)die;
	(void)leave;
	(void)fatal;
	(void)usage;
	return 0;
}
