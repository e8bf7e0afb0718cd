/* norn-test
 * errors: yes
 * schedule: aba
 * cc: -DCASE=1
 * cc: -DCASE=2
 * cc: -DCASE=3
 * cc: -DCASE=4
 * cc: -DCASE=5
 * cc: -DCASE=6
 * finding: ^assertion (d < 3|at < 3|where != (NULL|\(\(void \*\)0\))|where) predicted at later.c:\d+ \w+ assert by main/2
 * silent: -DCASE=1 -DRIGHT
 * silent: -DCASE=2 -DRIGHT
 * silent: -DCASE=3 -DRIGHT
 * silent: -DCASE=4 -DRIGHT
 * silent: -DCASE=5 -DRIGHT
 * silent: -DCASE=6 -DRIGHT
 */
/* What is asserted decides more once the assertion has passed: as an index (1), by a branch (2), in a function that is given it (3), as the result of a call (4), as a pointer (5), as what the
 * thread returns (6). */
#include <assert.h>
#include <stdint.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int data, table[8], many;
static struct place {
	int n;
} one_place, *pointer = &one_place;

static void set(int value)
{
	pthread_mutex_lock(&lock);
	data = value;
	pointer = value > 2 ? 0 : &one_place;
	pthread_mutex_unlock(&lock);
}

static void *one(void *unused)
{
	gate('a');
	set(1);
	gate('a');
#ifdef RIGHT
	set(2);
#else
	set(3);
#endif
	gate_leave();
	return unused;
}

__attribute__((noinline)) static int get(void)
{
	pthread_mutex_lock(&lock);
	int value = data;
	pthread_mutex_unlock(&lock);
	return value;
}

__attribute__((noinline)) static void put(int at)
{
	assert(at < 3);
	table[at]++;
}

static void put_pointed(void)
{
	pthread_mutex_lock(&lock);
	struct place *where = pointer;
	pthread_mutex_unlock(&lock);
	assert(where);
	where->n++;
}

static void put_counted(void)
{
	int d = get();
	assert(d < 3);
	table[d]++;
}

static void *two(void *unused)
{
	gate('b');
	pthread_mutex_lock(&lock);
	int d = data;
	pthread_mutex_unlock(&lock);
	if (CASE == 1) {
		assert(d < 3);
		table[d]++;
	}
	if (CASE == 2) {
		assert(d < 3);
		if (d == 2) {
			pthread_mutex_lock(&lock);
			many++;
			pthread_mutex_unlock(&lock);
		}
	}
	if (CASE == 3)
		put(get());
	if (CASE == 4)
		put_counted();
	if (CASE == 5)
		put_pointed();
	if (CASE == 6)
		assert(d < 3);
	gate_leave();
	return CASE == 6 ? (void *)(intptr_t)d : unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, NULL))
		return 2;
	return 0;
}
