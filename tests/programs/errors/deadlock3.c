/* norn-test
 * errors: yes
 * schedule: abc
 * finding: ^deadlock .*forks.* predicted at (deadlock3.c:\d+ dine acquire by main/\d(, )?){3} x
 * finding-count: 1
 * silent: -DRIGHT
 * silent: -DWAITER
 */
/* Three philosophers. */
#include "../sliced/cast.h"

static pthread_mutex_t forks[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t waiter = PTHREAD_MUTEX_INITIALIZER;
int meals[3];

static void dine(int me, int left, int right)
{
#ifdef WAITER
	pthread_mutex_lock(&waiter);
#endif
	pthread_mutex_lock(&forks[left]);
	pthread_mutex_lock(&forks[right]);
	meals[me]++;
	pthread_mutex_unlock(&forks[right]);
	pthread_mutex_unlock(&forks[left]);
#ifdef WAITER
	pthread_mutex_unlock(&waiter);
#endif
}

static void *one(void *unused)
{
	gate('a');
	dine(0, 0, 1);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	dine(1, 1, 2);
	gate_leave();
	return unused;
}

static void *three(void *unused)
{
	gate('c');
#ifdef RIGHT
	dine(2, 0, 2);
#else
	dine(2, 2, 0);
#endif
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	(void)&waiter;
	return argc < 2 || play(argv, one, two, three);
}
