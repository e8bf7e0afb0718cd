/* norn-test
 * errors: yes
 * schedule: 312
 * finding: ^race p\b
 * never-finding: ^race y\b
 */
/* A race on y is not possible: what is in the block is what p was, also after the block has grown where it is. */
#include <stdlib.h>

#include "cast.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int p, y, *block;

static void *one(void *unused)
{
	gate('1');
	pthread_mutex_lock(&lock);
	block[0] = p;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	pthread_mutex_lock(&lock);
	block = realloc(block, 24);
	int seen = block[0];
	pthread_mutex_unlock(&lock);
	if (seen == 1)
		y = 2;
	gate_leave();
	return unused;
}

static void *three(void *unused)
{
	gate('3');
	y = 3;
	p = 1;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	block = calloc(1, 20);
	return argc < 2 || !block || play(argv, one, two, three);
}
