/* norn-test
 * prop: a_first.prop
 * check: --only-props
 * errors: yes
 * schedule: 213
 * finding: ^property a_first\b.* predicted
 * finding-count: 1
 * repeat: 3
 * silent: -DNOT
 */
/* What the third thread stores is known, and enough, though nothing is decided by what it comes from (V2, V6). NOT: what the
 * third thread stores would not be enough. */
#include <norn.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#ifndef NOT
int stock, limit = 3;
#else
int stock, limit = 1;
#endif

static void *one(void *unused)
{
	gate('1');
	pthread_mutex_lock(&lock);
	int r = stock;
	pthread_mutex_unlock(&lock);
	if (r >= 2)
		norn_event("B", 0);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	norn_event("A", 0);
	pthread_mutex_lock(&lock);
	stock = 4;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *three(void *unused)
{
	gate('3');
	pthread_mutex_lock(&lock);
	stock = limit;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, three);
}
