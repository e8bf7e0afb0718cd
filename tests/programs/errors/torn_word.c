/* norn-test
 * errors: yes
 * build: $CC -O1 -g -pthread -DSHOWN -I $SRC/../../causality -c $SRC/torn_word.c -o shown.o && clang-19 -c $SRC/../../causality/gate.c -o gate-shown.o && $CC -pthread shown.o gate-shown.o -o shown && { ./shown acbd && false || test $? = 7; }
 * schedule: ab
 * finding: ^atomicity range.(high, range.low|low, range.high) predicted at torn_word.c:\d+ look read by main/1, torn_word.c:\d+ move write by main/2, torn_word.c:\d+ move write by main/2, torn_word.c:\d+ look read by main/1
 * finding-count: 1
 * silent: -DOTHER
 * silent: -DRIGHT
 */
/* Two variables in one word of eight bytes, each access under the lock. The block reads low, then high; the other thread writes low, then high. With OTHER it writes high first: then the
 * block may come between the two. With RIGHT the block holds the lock throughout. */
#include "torn.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct range {
	_Alignas(8) int low;
	int high;
} range;
static int low, high;

static void look(void)
{
	norn_atomic_begin("look");
	pthread_mutex_lock(&lock);
	low = range.low;
#ifndef RIGHT
	pthread_mutex_unlock(&lock);
	STEP('b');
	pthread_mutex_lock(&lock);
#endif
	high = range.high;
	pthread_mutex_unlock(&lock);
	norn_atomic_end();
}

static void move(void)
{
#ifdef OTHER
	pthread_mutex_lock(&lock);
	range.high = 1;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	range.low = 1;
	pthread_mutex_unlock(&lock);
#else
	pthread_mutex_lock(&lock);
	range.low = 1;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	range.high = 1;
	pthread_mutex_unlock(&lock);
#endif
}

static int is_torn(void)
{
	return low == 0 && high == 1;
}

static void *one(void *unused)
{
	gate('a');
	look();
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
	move();
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, NULL))
		return 1;
	return is_torn() ? TORN : 0;
}
