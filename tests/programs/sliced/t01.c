/* norn-test
 * errors: yes
 * schedule: 12
 * finding: ^race y\b
 * never-finding: ^race x\b
 */
/* The regions of the lock may come in the other order, and then y is written by both at once. */
#include "cast.h"

static pthread_mutex_t L = PTHREAD_MUTEX_INITIALIZER;
int x, y;

static void *one(void *unused)
{
	gate('1');
	y = 1;
	pthread_mutex_lock(&L);
	x = 1;
	pthread_mutex_unlock(&L);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	pthread_mutex_lock(&L);
	x = 2;
	pthread_mutex_unlock(&L);
	y = 2;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
