/* norn-test
 * errors: yes
 * schedule: 21
 * finding: ^race x\b
 * never-finding: ^race y\b
 */
/* A race on y is not possible: who sees x = 1 takes the lock, in a function that then returns otherwise. */
#include "cast.h"

static pthread_mutex_t L = PTHREAD_MUTEX_INITIALIZER;
int x = 1, y;

__attribute__((noinline)) static int enter(void)
{
	if (!x)
		return 0;
	pthread_mutex_lock(&L);
	return 1;
}

static void *one(void *unused)
{
	gate('1');
	int locked = enter();
	y = 1;
	if (locked)
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
