/* norn-test
 * schedule: ab
 * silent: -DCASE=1
 * silent: -DCASE=2
 * silent: -DCASE=3
 * silent: -DCASE=4
 * silent: -DCASE=5
 * silent: -DCASE=6
 */
/* Sums whose second part changes with the first, though not by name: what a function makes of it (1), what it was chosen by (2), a copy that was stored and read again (3), what an argument in between
 * hands on (4), what a loop has made of it (5), a factor (6). All sums are even, in every schedule; were the second part taken for what it was, they would be odd. */
#include <assert.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n = 1, copy, sum;

__attribute__((noinline)) static int same(int value)
{
	return value;
}

__attribute__((noinline)) static int add(int value, int other)
{
	return same(value) + other;
}

static void *one(void *unused)
{
	gate('a');
	pthread_mutex_lock(&lock);
	n = 4;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	pthread_mutex_lock(&lock);
	int value = n;
	if (CASE == 1)
		sum = value + same(value);
	if (CASE == 2)
		sum = value + (value & 1 ? 3 : 4);
	if (CASE == 3) {
		copy = value;
		sum = value + *(volatile int *)&copy;
	}
	if (CASE == 4)
		sum = value + add(value, 2);
	if (CASE == 5) {
		int made = value;
		for (int i = 0; i < 3; i++)
			made += 2 * i;
		sum = made + value;
	}
	if (CASE == 6)
		sum = value + 3 * value;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, NULL))
		return 2;
	pthread_mutex_lock(&lock);
	assert(sum % 2 == 0);
	pthread_mutex_unlock(&lock);
	return 0;
}
