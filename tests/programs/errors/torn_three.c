/* norn-test
 * errors: yes
 * build: $CC -O1 -g -pthread -DSHOWN -I $SRC/../../causality -c $SRC/torn_three.c -o shown.o && clang-19 -c $SRC/../../causality/gate.c -o gate-shown.o && $CC -pthread shown.o gate-shown.o -o shown && { ./shown abcde && false || test $? = 7; }
 * schedule: abc
 * finding: ^atomicity x, y, z predicted at torn_three.c:\d+ order write by main/1, torn_three.c:\d+ pack read by main/2, torn_three.c:\d+ pack write by main/2, torn_three.c:\d+ ship read by main/3, torn_three.c:\d+ ship write by main/3, torn_three.c:\d+ order read by main/1
 * finding-count: 1
 * silent: -DOTHER
 */
/* Three threads: x is written before the second reads it, which then writes y before the third reads it, which then writes z before the block reads it. With OTHER the third writes z
 * before it reads y: then it need not come after the second. */
#include "torn.h"

_Atomic int x, y, z;
static int seen_x, seen_y, seen_z;

static void order(void)
{
	norn_atomic_begin("order");
	x = 1;
	STEP('d');
	seen_z = z;
	norn_atomic_end();
}

static void pack(void)
{
	seen_x = x;
	y = 1;
}

static void ship(void)
{
#ifdef OTHER
	z = 1;
	seen_y = y;
#else
	seen_y = y;
	z = 1;
#endif
}

static int is_torn(void)
{
	return seen_x && seen_y && seen_z;
}

static void *one(void *unused)
{
	gate('a');
	order();
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	pack();
	gate_leave();
	return unused;
}

static void *three(void *unused)
{
	gate('c');
	ship();
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, three))
		return 1;
	return is_torn() ? TORN : 0;
}
