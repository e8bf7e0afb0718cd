/* norn-test
 * prop: a_first.prop
 * check: --only-props
 * errors: yes
 * schedule: 21
 * finding: ^property a_first\b.* predicted
 * finding-count: 1
 * repeat: 3
 * silent: -DNOT
 */
/* The scope is not entered, whichever value is read: B may come first (V6 beside V11). NOT: had the scope been entered, B would
 * have come (P02). */
#include <norn.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#ifndef NOT
int ready = 1, open;
#else
int ready, open;
#endif

static void *one(void *unused)
{
	gate('1');
	pthread_mutex_lock(&lock);
	int r = ready;
	if (r == 0)
		open = 1;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	r = open;
	pthread_mutex_unlock(&lock);
	if (r == 0)
		norn_event("B", 0);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	norn_event("A", 0);
	pthread_mutex_lock(&lock);
	ready = 2;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
