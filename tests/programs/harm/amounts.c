/* norn-test
 * errors: yes
 * schedule: ab
 * cc: -DCASE=1
 * cc: -DCASE=2
 * cc: -DCASE=3
 * cc: -DCASE=4
 * cc: -DCASE=5
 * finding: ^assertion (first \+ second == \d+|total != 57) predicted at amounts.c:\d+ main assert by main
 * cc: -DCASE=6
 * cc: -DCASE=7
 * silent: -DCASE=1 -DRIGHT
 * silent: -DCASE=2 -DRIGHT
 * silent: -DCASE=3 -DRIGHT
 * silent: -DCASE=4 -DRIGHT
 * silent: -DCASE=5 -DRIGHT
 * silent: -DCASE=6 -DRIGHT
 * silent: -DCASE=7 -DRIGHT
 */
/* Updates that are lost, of sums of what is there and an amount that is as it was, whatever that is made of (V7): an argument (1), what a loop has counted (2), a product of two reads (3), two amounts,
 * one of them taken off (4), the other way round, what was there taken from an amount, twice (5), what a call has returned before (6), an atomic
 * addition (7). */
#include <assert.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int first = 100, second = 100, price = 5, number = 2;
#ifdef RIGHT
#define BETWEEN
#else
#define BETWEEN pthread_mutex_unlock(&lock), pthread_mutex_lock(&lock);
#endif

__attribute__((noinline)) static void add(int *to, int amount)
{
	pthread_mutex_lock(&lock);
	int n = *to;
	BETWEEN
	*to = n + amount;
	pthread_mutex_unlock(&lock);
}

static void count(int *to, int until)
{
	int found = 0;
	for (int i = 1; i < until; i += i)
		found++;
	pthread_mutex_lock(&lock);
	int n = *to;
	BETWEEN
	*to = found + n;
	pthread_mutex_unlock(&lock);
}

static void pay(int *to)
{
	pthread_mutex_lock(&lock);
	int n = *to;
	BETWEEN
	*to = n + price * number;
	pthread_mutex_unlock(&lock);
}

__attribute__((noinline)) static void exchange(int *to, int more, int less)
{
	pthread_mutex_lock(&lock);
	int n = *to;
	BETWEEN
	*to = n + more - less;
	pthread_mutex_unlock(&lock);
}

__attribute__((noinline)) static void mirror(int *to, int from)
{
	pthread_mutex_lock(&lock);
	int n = *to;
	BETWEEN
	*to = from - n;
	pthread_mutex_unlock(&lock);
}

__attribute__((noinline)) static int half(int value)
{
	return value / 2;
}

static void put_half(int *to, int amount)
{
	int more = half(2 * amount);
	pthread_mutex_lock(&lock);
	int n = *to;
	BETWEEN
	*to = n + more;
	pthread_mutex_unlock(&lock);
}

static _Atomic long total = 100;

__attribute__((noinline)) static void add_both(int amount, int other)
{
#ifdef RIGHT
	total += amount + other;
#else
	total += amount;
	total += other;
#endif
}

static void change(int *to, int amount)
{
	if (CASE == 1)
		add(to, amount);
	if (CASE == 2)
		count(to, 1 << amount);
	if (CASE == 3)
		pay(to);
	if (CASE == 4)
		exchange(to, amount, 1);
	if (CASE == 5)
		mirror(to, 300 + amount);
	if (CASE == 6)
		put_half(to, amount);
}

static void *one(void *unused)
{
	gate('a');
	if (CASE == 7)
		total = 50;
	else
		change(&first, 10);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	if (CASE == 7)
		add_both(10, 7);
	change(&first, 10);
	change(&second, 7);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, NULL))
		return 2;
#if CASE == 1 || CASE == 2 || CASE == 6
	assert(first + second == 227);
#elif CASE == 3
	assert(first + second == 230);
#elif CASE == 4
	assert(first + second == 224);
#elif CASE == 7
	assert(total != 57);
#else
	assert(first + second == 307);
#endif
	return 0;
}
