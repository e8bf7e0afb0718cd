/* norn-test
 * errors: yes
 * build: $CC -O1 -g -pthread -DSHOWN -I $SRC/../../causality -c $SRC/torn_blocks.c -o shown.o && clang-19 -c $SRC/../../causality/gate.c -o gate-shown.o && $CC -pthread shown.o gate-shown.o -o shown && { ./shown cadb && false || test $? = 7; }
 * schedule: ab
 * finding: ^atomicity x, y predicted at torn_blocks.c:\d+ 
 * finding: torn_blocks.c:\d+ (left|right) read by main/[12] x
 * finding-count: 1
 * silent: -DSINGLE
 * silent: -DLOCKED
 */
/* A block against a block: each writes one variable, then reads the other. Both may read what the other wrote. With SINGLE the second thread's accesses are no block, so the
 * first block may come between them; with LOCKED one lock keeps the blocks apart. */
#include "torn.h"

_Atomic int x, y;
static int seen_x, seen_y;
#ifdef LOCKED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#endif

static void begin(const char *name)
{
#ifdef LOCKED
	pthread_mutex_lock(&lock);
#endif
	(void)name;
}

static void end(void)
{
#ifdef LOCKED
	pthread_mutex_unlock(&lock);
#endif
}

static void left(void)
{
	norn_atomic_begin("left");
	begin("left");
	x = 1;
	STEP('b');
	seen_y = y;
	end();
	norn_atomic_end();
}

static void right(void)
{
#ifndef SINGLE
	norn_atomic_begin("right");
#endif
	begin("right");
	y = 1;
	STEP('d');
	seen_x = x;
	end();
#ifndef SINGLE
	norn_atomic_end();
#endif
}

static int is_torn(void)
{
	return seen_x && seen_y;
}

static void *one(void *unused)
{
	gate('a');
	left();
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
	right();
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, NULL))
		return 1;
	return is_torn() ? TORN : 0;
}
