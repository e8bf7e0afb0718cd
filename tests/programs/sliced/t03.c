/* norn-test
 * errors: yes
 * schedule: 12
 * never-finding: ^race x\b
 * finding: ^race y\b
 */
/* The second thread reads what the first one wrote, and decides by it, but only what no other thread looks at. */
#include "cast.h"

static pthread_mutex_t L = PTHREAD_MUTEX_INITIALIZER;
int x, y, z;

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
	int r = x;
	pthread_mutex_unlock(&L);
	if (r)
		z = 1;
	y = 2;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
