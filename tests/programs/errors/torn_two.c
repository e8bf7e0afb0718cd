/* norn-test
 * errors: yes
 * build: $CC -O1 -g -pthread -DSHOWN -I $SRC/../../causality -c $SRC/torn_two.c -o shown.o && clang-19 -c $SRC/../../causality/gate.c -o gate-shown.o && $CC -pthread shown.o gate-shown.o -o shown && { ./shown acbd && false || test $? = 7; }
 * schedule: ab
 * finding: ^atomicity x, y predicted at torn_two.c:\d+ publish write by main/1, torn_two.c:\d+ follow read by main/2, torn_two.c:\d+ follow write by main/2, torn_two.c:\d+ publish read by main/1
 * finding-count: 1
 * silent: -DOTHER
 */
/* Two variables: x is written before the other thread reads it, and y read after the other thread has written it. With OTHER that thread writes y before it reads
 * x: then the block may come between the two (V10.a). */
#include "torn.h"

_Atomic int x, y;
static int seen_x, seen_y;

static void publish(void)
{
	norn_atomic_begin("publish");
	x = 1;
	STEP('b');
	seen_y = y;
	norn_atomic_end();
}

static void follow(void)
{
#ifdef OTHER
	y = 1;
	seen_x = x;
#else
	seen_x = x;
	y = 1;
#endif
}

static int is_torn(void)
{
	return seen_x && seen_y;
}

static void *one(void *unused)
{
	gate('a');
	publish();
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
#ifdef SHOWN
	gate('c');
#else
	gate('b');
#endif
	follow();
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, NULL))
		return 1;
	return is_torn() ? TORN : 0;
}
