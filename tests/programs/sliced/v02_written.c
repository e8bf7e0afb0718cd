/* norn-test
 * errors: yes
 * schedule: 21
 * finding: ^race y\b
 * twin: -DNOT
 */
/* The first thread may read the same value before the second one has written it (V2). NOT: a race on y is not possible: before
 * the second thread's write the value is another (V2). */
#include <stdatomic.h>
#include <stdlib.h>

#include "cast.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int y;
atomic_int state;

static void *one(void *unused)
{
	gate('1');
	if (state == 4) {
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
	state = 4;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
#ifndef NOT
	state = 4;
#else
	state = 3;
#endif
	return argc < 2 || play(argv, one, two, NULL);
}
