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
/* It is copied twice before it decides something (V1). NOT: the thread waits for what it copies twice. */
#include <norn.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int source, middle, copy;

static void *one(void *unused)
{
	gate('1');
	pthread_mutex_lock(&lock);
	middle = source;
	pthread_mutex_unlock(&lock);
#ifndef NOT
	pthread_mutex_lock(&lock);
	copy = middle;
	pthread_mutex_unlock(&lock);
#else
	for (;;) {
		pthread_mutex_lock(&lock);
		copy = middle = source;
		int r = copy;
		pthread_mutex_unlock(&lock);
		if (r == 1)
			break;
	}
#endif
	norn_event("B", 0);
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
