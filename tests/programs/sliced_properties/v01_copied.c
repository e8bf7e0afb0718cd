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
/* What is copied decides only what the third thread does later (V1). NOT: B depends on what is copied. */
#include <norn.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int source, copy;

static void *one(void *unused)
{
	gate('1');
	pthread_mutex_lock(&lock);
#ifndef NOT
	copy = source;
#else
	int r = source;
	copy = r;
#endif
	pthread_mutex_unlock(&lock);
#ifndef NOT
	norn_event("B", 0);
#else
	if (r == 1)
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
	source = 1;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *three(void *unused)
{
	gate('3');
	pthread_mutex_lock(&lock);
	int r = copy;
	pthread_mutex_unlock(&lock);
	if (r == 1)
		norn_event("C", 0);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, three);
}
