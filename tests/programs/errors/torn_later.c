/* norn-test
 * errors: yes
 * build: $CC -O1 -g -pthread -DSHOWN -I $SRC/../../causality -c $SRC/torn_later.c -o shown.o && clang-19 -c $SRC/../../causality/gate.c -o gate-shown.o && $CC -pthread shown.o gate-shown.o -o shown && { ./shown bcad && false || test $? = 7; }
 * schedule: ba
 * finding: ^atomicity x, y predicted at torn_later.c:\d+ publish write by main/1, torn_later.c:\d+ follow read by main/2, torn_later.c:\d+ follow write by main/2, torn_later.c:\d+ publish read by main/1
 * finding-count: 1
 * silent: -DOTHER
 * silent: -DRIGHT
 */
/* Two variables, each under a lock of its own, and the other thread's regions came first when recorded: to break the block they must come between its two. With OTHER they come in
 * the other order, with RIGHT the block holds both locks throughout. */
#include "torn.h"

static pthread_mutex_t x_lock = PTHREAD_MUTEX_INITIALIZER, y_lock = PTHREAD_MUTEX_INITIALIZER;
int x, y;
static int seen_x, seen_y;

static void publish(void)
{
	norn_atomic_begin("publish");
	pthread_mutex_lock(&x_lock);
#ifdef RIGHT
	pthread_mutex_lock(&y_lock);
#endif
	x = 1;
#ifndef RIGHT
	pthread_mutex_unlock(&x_lock);
	STEP('a');
	pthread_mutex_lock(&y_lock);
#endif
	seen_y = y;
	pthread_mutex_unlock(&y_lock);
#ifdef RIGHT
	pthread_mutex_unlock(&x_lock);
#endif
	norn_atomic_end();
}

static void follow(void)
{
#ifdef OTHER
	pthread_mutex_lock(&y_lock);
	y = 1;
	pthread_mutex_unlock(&y_lock);
#endif
	pthread_mutex_lock(&x_lock);
	seen_x = x;
	pthread_mutex_unlock(&x_lock);
#ifndef OTHER
	pthread_mutex_lock(&y_lock);
	y = 1;
	pthread_mutex_unlock(&y_lock);
#endif
}

static int is_torn(void)
{
	return seen_x && seen_y;
}

static void *one(void *unused)
{
#ifdef SHOWN
	gate('b');
#else
	gate('a');
#endif
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
