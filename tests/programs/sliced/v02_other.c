/* norn-test
 * errors: yes
 * schedule: 1312
 * finding: ^race y\b
 * twin: -DNOT
 */
/* What the second thread saw of x comes from the first one, which stands before it; but the third wrote the same (V2), and
 * memory held something else before: that shows only when the window is replayed. NOT: what the third
 * thread wrote is not what the second saw: no race on y. */
#include "cast.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int f, x, y;

static void *one(void *unused)
{
	gate('1');
	y = 1;
	gate_leave();
	gate('1');
	x = 5;
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	if (f == 1 && x == 5) {
		pthread_mutex_lock(&lock);
		y = 2;
		pthread_mutex_unlock(&lock);
	}
	gate_leave();
	return unused;
}

static void *three(void *unused)
{
	gate('3');
#ifndef NOT
	x = 5;
#else
	x = 6;
#endif
	f = 1;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, three);
}
