/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^null-dereference shared predicted at skipped_null.c:\d+ main
 * silent: -DRIGHT
 * silent: -DCHECKED
 */
/* The pointer is set only while others are ready: that may be skipped (V11), so that it is null in the end. Right: nobody sees that they are not; checked: it is looked at. */
#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready = 1, value = 3, *shared;
volatile int sum;

static void *flip(void *unused)
{
	gate('b');
	pthread_mutex_lock(&lock);
	ready = 0;
#ifndef RIGHT
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	ready = 1;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *set(void *unused)
{
	gate('a');
	pthread_mutex_lock(&lock);
	if (ready)
		shared = &value;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, set, flip, NULL))
		return 2;
#ifdef CHECKED
	if (!shared)
		return 0;
#endif
	sum += *shared;
	return 0;
}
