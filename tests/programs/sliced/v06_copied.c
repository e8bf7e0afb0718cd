/* norn-test
 * errors: yes
 * schedule: 12
 * finding: ^assertion
 * twin: -DNOT
 */
/* The assertion fails of a value that is copied along with others: more than 8 bytes at once. NOT: the copied value passes, too, as
 * only what lies beside it is another one. */
#include <assert.h>
#include <string.h>

#include "cast.h"

#ifndef NOT
#define FIRST 2
#else
#define FIRST 1
#endif

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct state {
	long first, second, third;
} now = {1, 1, 1}, next = {FIRST, 2, 3};

static void *one(void *unused)
{
	gate('1');
	pthread_mutex_lock(&lock);
	assert(now.first == 1);
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	pthread_mutex_lock(&lock);
	memcpy(&now, &next, sizeof now);
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
