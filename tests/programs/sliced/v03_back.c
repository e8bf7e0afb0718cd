/* norn-test
 * errors: yes
 * schedule: 21
 * finding: ^race y\b
 * twin: -DNOT
 */
/* The count is the same before and after what the second thread does with it (V3). NOT: a race on y is not possible: only after
 * the second thread has changed it is the count what the first one asks for (V3). */
#include <stdatomic.h>
#include <stdlib.h>

#include "cast.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int y;
#ifndef NOT
atomic_int count = 1;
#else
atomic_int count = 2;
#endif

static void *one(void *unused)
{
	gate('1');
	if (atomic_fetch_sub(&count, 1) == 1) {
		pthread_mutex_lock(&lock);
		y = 1;
		pthread_mutex_unlock(&lock);
	}
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	y = 2;
	atomic_fetch_add(&count, 1);
#ifndef NOT
	atomic_fetch_sub(&count, 1);
#else
	atomic_fetch_sub(&count, 2);
#endif
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
