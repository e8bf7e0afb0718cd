/* norn-test
 * errors: yes
 * schedule: 21
 * finding: ^race y\b
 * twin: -DNOT
 */
/* The branch only writes y, but that it does is certain by the other value, too (V6 with R5). NOT: the branch only writes y,
 * and does not by the other value (V6 with R5). */
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
	pthread_mutex_lock(&lock);
	int left = stock;
	pthread_mutex_unlock(&lock);
	if (left >= 2)
		y = 1;
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	y = 2;
	pthread_mutex_lock(&lock);
	stock = 3;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
