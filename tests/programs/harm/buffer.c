/* norn-test
 * errors: yes
 * schedule: abc
 * finding: ^assertion used <= 1 predicted at buffer.c:\d+ produce assert by main/[13]
 * silent: -DRIGHT
 */
/* Room in the buffer is asked for in one region, and used in another. */
#include <assert.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int used, buffer[1];

static void produce(void)
{
	pthread_mutex_lock(&lock);
	int full = used;
#ifndef RIGHT
	pthread_mutex_unlock(&lock);
#endif
	if (full < 1) {
#ifndef RIGHT
		pthread_mutex_lock(&lock);
#endif
		buffer[0] = 1;
		used = used + 1;
		assert(used <= 1);
#ifndef RIGHT
		pthread_mutex_unlock(&lock);
#endif
	}
#ifdef RIGHT
	pthread_mutex_unlock(&lock);
#endif
}

static void consume(void)
{
	pthread_mutex_lock(&lock);
	if (used > 0)
		used = used - 1;
	pthread_mutex_unlock(&lock);
}

static void *one(void *unused)
{
	gate('a');
	produce();
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	consume();
	gate_leave();
	return unused;
}

static void *three(void *unused)
{
	gate('c');
	produce();
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, three))
		return 2;
	return 0;
}
