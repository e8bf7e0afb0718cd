/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^assertion .* predicted at switch.c:\d+ check
 * silent: -DRIGHT
 * unjudged: -DRIGHT
 */
/* The state is 2 for a moment, which the switch does not know; the states that it knows lead to different ways, which both read. */
#include <stdlib.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int state, open_count, closed_count = 1;
static volatile int seen;

static void *change(void *unused)
{
	gate('a');
	pthread_mutex_lock(&lock);
#ifndef RIGHT
	state = 2;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	open_count = 1;
	closed_count = 0;
	state = 1;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *check(void *unused)
{
	gate('b');
	pthread_mutex_lock(&lock);
	switch (state) {
	case 0:
		if (closed_count != 1)
			abort();
		break;
	case 1:
		if (open_count != 1)
			abort();
		break;
	default:
		abort();
	}
	seen = state;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, change, check, NULL))
		return 2;
	return 0;
}
