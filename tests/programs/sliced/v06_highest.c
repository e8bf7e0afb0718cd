/* norn-test
 * errors: yes
 * schedule: 12
 * exit: 0
 * finding: ^assertion highest\b
 * cc: -O0
 * cc: -O1
 * cc: -O2
 * twin: -DLOCKED
 */
/* A check and a store, and between them another thread's, whose check comes out the same for what it sees then (V6). LOCKED: check and
 * store are one. */
#include <assert.h>
#include <stdatomic.h>

#include "cast.h"

atomic_int highest;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#ifdef LOCKED
#define LOCK() pthread_mutex_lock(&lock)
#define UNLOCK() pthread_mutex_unlock(&lock)
#else
#define LOCK()
#define UNLOCK()
#endif

static void *one(void *unused)
{
	gate('1');
	LOCK();
	if (highest < 8)
		highest = 8;
	UNLOCK();
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	LOCK();
	if (highest < 10)
		highest = 10;
	UNLOCK();
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	int failed = argc < 2 || play(argv, one, two, NULL);
	assert(highest == 10);
	return failed;
}
