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
/* A scope within a scope: B does not depend on either (V11). NOT: the inner scope has a mark in it (P02). */
#include <norn.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int first, second, x, y;

static void *one(void *unused)
{
	gate('1');
	pthread_mutex_lock(&lock);
	if (first) {
		x = 1;
		if (second)
#ifndef NOT
			y = 1;
#else
			norn_event("B", 0);
#endif
	}
	pthread_mutex_unlock(&lock);
#ifndef NOT
	norn_event("B", 0);
#endif
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	norn_event("A", 0);
	pthread_mutex_lock(&lock);
	first = 1;
	second = 1;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
