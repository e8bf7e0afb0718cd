/* norn-test
 * schedule: ab
 * silent: -DCASE=1
 * silent: -DCASE=2
 * silent: -DCASE=3
 * silent: -DCASE=4
 * silent: -DCASE=5
 * silent: -DCASE=6
 * unjudged: -DCASE=2
 * unjudged: -DCASE=3
 * unjudged: -DCASE=4
 * unjudged: -DCASE=6
 */
/* What is asserted decides before that, too: by a branch (1), in a function that is given it (2), by what such a function answers (3), between two assertions (4), in a round of a loop (5), in another
 * thread than the one that asserts (6). */
#include <assert.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int data = 4, seen, done, table[8], rounds;

static int get(void)
{
	pthread_mutex_lock(&lock);
	int value = data;
	pthread_mutex_unlock(&lock);
	return value;
}

static void put(int *what, int value)
{
	pthread_mutex_lock(&lock);
	*what = value;
	pthread_mutex_unlock(&lock);
}

static void *one(void *unused)
{
	gate('a');
	put(&data, 1);
	gate_leave();
	return unused;
}

__attribute__((noinline)) static void leave_if(int value)
{
	if (value >= 3) {
		gate_leave();
		pthread_exit(NULL);
	}
}

__attribute__((noinline)) static int is_small(int value)
{
	return value < 3;
}

static void twice(void)
{
	int d = get();
	assert(d < 5);
	table[d]++;
	if (d >= 3)
		return;
	int e = get();
	assert(d + e < 8);
	table[e]++;
}

static void again(void)
{
	for (int i = 0; i < 2; i++) {
		int d = get();
		pthread_mutex_lock(&lock);
		int before = rounds;
		assert(d < 3 || before == 0);
		rounds += d < 3;
		pthread_mutex_unlock(&lock);
		if (d >= 3)
			break;
		put(&data, 1);
	}
}

static void *two(void *unused)
{
	gate('b');
	int d = get();
	if (CASE == 1 && d < 3) {
		assert(d < 3);
		table[d]++;
	}
	if (CASE == 2) {
		leave_if(d);
		assert(d < 3);
		table[d]++;
	}
	if (CASE == 3 && is_small(d)) {
		assert(d < 3);
		table[d]++;
	}
	if (CASE == 4)
		twice();
	if (CASE == 5)
		again();
	if (CASE == 6) {
		put(&seen, d);
		assert(d < 5);
		if (d < 3)
			put(&done, 1);
	}
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, NULL))
		return 2;
	pthread_mutex_lock(&lock);
	int value = seen, good = done;
	pthread_mutex_unlock(&lock);
	if (CASE == 6)
		assert(value < 3 || !good);
	return 0;
}
