/* norn-test
 * schedule: ab
 * silent: -DCASE=1
 * silent: -DCASE=2
 * silent: -DCASE=3
 * silent: -DCASE=4
 * silent: -DCASE=5
 * silent: -DCASE=6
 * silent: -DCASE=7
 * silent: -DCASE=8
 * silent: -DCASE=9
 * silent: -DCASE=10
 * unjudged: -DCASE=8
 * unjudged: -DCASE=9
 */
/* Assertions that hold in every schedule, though their parts take values that would not do: a divisor of 0 (1) and a shift (2) that
 * are asked for first, the lesser of two (3), arguments of which one says whether the other counts (4), or that are asked for by who
 * calls (5), or that were read before what they are compared with (6), a few good values (7), what another function passes on (8),
 * arguments of a call that is made again and again (9), a sum whose parts change together (10). */
#include <assert.h>
#include <stdlib.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int first = 6, second = 2, third;

static void set(int *what, int value)
{
	pthread_mutex_lock(&lock);
	*what = value;
	pthread_mutex_unlock(&lock);
}

static void set_both(int a, int b)
{
	pthread_mutex_lock(&lock);
	first = a;
	second = b;
	pthread_mutex_unlock(&lock);
}

static void set_sum(void)
{
	pthread_mutex_lock(&lock);
	third = first + second;
	pthread_mutex_unlock(&lock);
}

static int get(const int *what)
{
	pthread_mutex_lock(&lock);
	int value = *what;
	pthread_mutex_unlock(&lock);
	return value;
}

__attribute__((noinline)) static void verify(int condition)
{
	if (!condition)
		abort();
}

__attribute__((noinline)) static void check(int value, int counts)
{
	if (counts)
		assert(value >= 3);
}

__attribute__((noinline)) static void not_more(int before)
{
	pthread_mutex_lock(&lock);
	int now = third;
	pthread_mutex_unlock(&lock);
	assert(before <= now);
}

__attribute__((noinline)) static int raw(void)
{
	return get(&third);
}

static void *one(void *unused)
{
	gate('a');
	if (CASE == 1)
		set_both(9, 0), set(&second, 3);
	if (CASE == 2)
		set_both(1, 40), set(&second, 0);
	if (CASE == 3)
		set(&first, 12), set(&first, 5);
	if (CASE == 4)
		set_both(0, 0), set_both(4, 1);
	if (CASE == 5)
		set(&first, 9), set(&second, 9);
	if (CASE == 6 || CASE == 9)
		set(&third, 1), set(&third, 2);
	if (CASE == 7)
		set(&third, 2), set(&third, 5);
	if (CASE == 8)
		set(&third, 2);
	if (CASE == 10)
		set_both(3, 5);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	pthread_mutex_lock(&lock);
	int a = first, b = second;
	pthread_mutex_unlock(&lock);
	if (CASE == 1 && b != 0)
		assert(a / b == 3 && a % b == 0);
	if (CASE == 2)
		assert(b >= 32 || b == 2 || a & 1 << b);
	if (CASE == 3) {
		int lesser = a < b ? a : b;
		assert(lesser < 10);
	}
	if (CASE == 4)
		check(a, b);
	if (CASE == 5 && a == b)
		verify(a == b);
	if (CASE == 6)
		not_more(get(&third));
	if (CASE == 7) {
		int state = get(&third);
		assert(state == 0 || state == 2 || state == 5);
	}
	if (CASE == 8)
		assert(raw() != 1);
	if (CASE == 10)
		set_sum();
	if (CASE == 10)
		assert(get(&third) == 8);
	for (int i = 0, before = 0; i < 3 && CASE == 9; i++) {
		int now = get(&third);
		verify(before <= now);
		before = now;
	}
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, NULL))
		return 2;
	return 0;
}
