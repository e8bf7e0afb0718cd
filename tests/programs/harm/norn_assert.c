/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^assertion total == parts predicted at norn_assert.c:\d+ two assert by main/2
 * silent: -DRIGHT
 */
/* norn_assert is an assertion. */
#include <norn.h>
#include <pthread.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total = 10, parts = 10;

static void *one(void *unused)
{
	gate('a');
	pthread_mutex_lock(&lock);
	total = 11;
#ifndef RIGHT
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	parts = 11;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	pthread_mutex_lock(&lock);
	norn_assert(total == parts);
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, NULL))
		return 2;
	return 0;
}
