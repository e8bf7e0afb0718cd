/* norn-test
 * errors: yes
 * build: clang-19 -O2 -DUNSEEN -c $SRC/modelled.c -o hash.o
 * cc: hash.o
 * schedule: 21
 * finding: ^race x\b
 * never-finding: ^race y\b
 */
/* A race on y is not possible: the result of a function that is not instrumented, but known (gate.model) to be harmless, depends on its argument. */
#ifdef UNSEEN
int gate_hash(int value);
int gate_hash(int value)
{
	return value * 7;
}
#else
#include "cast.h"

int gate_hash(int value);
int x = 1, y;

static void *one(void *unused)
{
	gate('1');
	if (gate_hash(x) == 0)
		y = 1;
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	y = 2;
	x = 0;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
#endif
