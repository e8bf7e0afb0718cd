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
/* The result of a call is another one, and enough either way (V6). NOT: the result of the call was not enough before. */
#include <norn.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#ifndef NOT
int seats = 9;
#else
int seats = 6;
#endif

__attribute__((noinline)) static int left(void)
{
	return seats - 2;
}

static void *one(void *unused)
{
	gate('1');
	pthread_mutex_lock(&lock);
	int r = left();
	pthread_mutex_unlock(&lock);
	if (r > 4)
		norn_event("B", 0);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	norn_event("A", 0);
	pthread_mutex_lock(&lock);
	seats = 7;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
