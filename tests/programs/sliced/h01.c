/* norn-test
 * errors: yes
 * schedule: 21
 * finding: ^race x\b
 * never-finding: ^race y\b
 */
/* A race on y is not possible: who sees x = 1 takes the lock. */
#include "cast.h"

static pthread_mutex_t L = PTHREAD_MUTEX_INITIALIZER;
int x = 1, y;

static void *one(void *unused)
{
	gate('1');
	int r = x;
	if (r)
		pthread_mutex_lock(&L);
	y = 1;
	if (r)
		pthread_mutex_unlock(&L);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	pthread_mutex_lock(&L);
	y = 2;
	pthread_mutex_unlock(&L);
	x = 0;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
