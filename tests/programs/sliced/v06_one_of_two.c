/* norn-test
 * errors: yes
 * schedule: 12
 * finding: ^assertion
 * twin: -DNOT
 */
/* Two reads of a region were meant to see the same: a write without the lock may come between them, after the first. NOT: that
 * write takes the lock, too. */
#include <assert.h>

#include "cast.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
volatile int shared = 1;

static void *one(void *unused)
{
	gate('1');
	pthread_mutex_lock(&lock);
	int first = shared, second = shared;
	pthread_mutex_unlock(&lock);
	assert(first == second);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
#ifdef NOT
	pthread_mutex_lock(&lock);
#endif
	shared = 0;
#ifdef NOT
	pthread_mutex_unlock(&lock);
#endif
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
