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
int *block;

static void *one(void *unused)
{
	gate('1');
	if (block[3] == 0) {
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
	block[3] = 0;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	block = calloc(8, sizeof *block);
#ifdef NOT
	block[3] = 1;
#endif
	return argc < 2 || play(argv, one, two, NULL);
}
