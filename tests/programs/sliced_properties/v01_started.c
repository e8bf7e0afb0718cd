/* norn-test
 * prop: started.prop
 * check: --only-props
 * errors: yes
 * schedule: 213
 * finding: ^property asked_first\b.* predicted
 * finding-count: 1
 * repeat: 3
 * silent: -DNOT
 */
/* The write of state comes whatever is noted before it (V1). NOT: what is written to state is what was read: without the
 * request it is no start. */
#include <norn.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int request, noted, state;

static void *one(void *unused)
{
	gate('1');
	pthread_mutex_lock(&lock);
	noted = request;
#ifndef NOT
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	state = 1;
#else
	state = noted;
#endif
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	pthread_mutex_lock(&lock);
#ifndef NOT
	request = 7;
#else
	request = 1;
#endif
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *three(void *unused)
{
	gate('3');
	pthread_mutex_lock(&lock);
	int r = noted;
	pthread_mutex_unlock(&lock);
#ifndef NOT
	if (r == 7)
#else
	if (r == 1)
#endif
		norn_event("C", 0);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, three);
}
