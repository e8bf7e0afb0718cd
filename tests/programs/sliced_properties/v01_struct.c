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
/* A struct is passed on, and looked at by another thread only, later (V1). NOT: a struct is passed on, and looked at before B. */
#include <norn.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct setup {
	long width, height, depth;
} asked, used;

static void *one(void *unused)
{
	gate('1');
	pthread_mutex_lock(&lock);
	used = asked;
#ifdef NOT
	long r = used.width;
#endif
	pthread_mutex_unlock(&lock);
#ifndef NOT
	norn_event("B", 0);
#else
	if (r == 4)
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
	asked.width = 4;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *three(void *unused)
{
	gate('3');
	pthread_mutex_lock(&lock);
	long r = used.width;
	pthread_mutex_unlock(&lock);
	if (r == 4)
		norn_event("C", 0);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, three);
}
