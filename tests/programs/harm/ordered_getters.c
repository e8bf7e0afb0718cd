/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^assertion get_low\(\) <= get_high\(\) predicted at ordered_getters.c:\d+ two assert by main/2
 * silent: -DRIGHT
 */
/* Two getters, each under the lock; what they return belongs together. */
#include <assert.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int low = 1, high = 9;

__attribute__((noinline, unused)) static int get_low(void)
{
	pthread_mutex_lock(&lock);
	int value = low;
	pthread_mutex_unlock(&lock);
	return value;
}

__attribute__((noinline, unused)) static int get_high(void)
{
	pthread_mutex_lock(&lock);
	int value = high;
	pthread_mutex_unlock(&lock);
	return value;
}

static void *one(void *unused)
{
	gate('a');
	pthread_mutex_lock(&lock);
#ifdef RIGHT
	high = 29;
#endif
	low = 20;
#ifndef RIGHT
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	high = 29;
#endif
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
#ifdef RIGHT
	pthread_mutex_lock(&lock);
	assert(low <= high);
	pthread_mutex_unlock(&lock);
#endif
#ifndef RIGHT
	assert(get_low() <= get_high());
#endif
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, NULL))
		return 2;
	return 0;
}
