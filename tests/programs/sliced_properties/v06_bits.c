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
/* The bit that is looked at is set either way (V6). NOT: the bit that is looked at was not set before. */
#include <norn.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#ifndef NOT
unsigned flags = 1;
#else
unsigned flags = 2;
#endif

static void *one(void *unused)
{
	gate('1');
	pthread_mutex_lock(&lock);
	unsigned r = flags;
	pthread_mutex_unlock(&lock);
	if (r & 1)
		norn_event("B", 0);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	norn_event("A", 0);
	pthread_mutex_lock(&lock);
	flags = 3;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
