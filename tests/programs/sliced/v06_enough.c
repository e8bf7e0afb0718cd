/* norn-test
 * errors: yes
 * schedule: 21
 * finding: ^race y\b
 * twin: -DNOT
 */
/* The first thread may read another value, which it decides the same by (V6). NOT: a race on y is not possible: by the other
 * value the first thread decides otherwise (V6). */
#include "cast.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int y;
#ifndef NOT
int stock = 5;
#else
int stock = 1;
#endif

static void *one(void *unused)
{
	gate('1');
	if (stock >= 2) {
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
	stock = 3;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
