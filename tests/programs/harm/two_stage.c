/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^assertion second == first \+ 1 predicted at two_stage.c:\d+ two assert by main/2
 * silent: -DRIGHT
 */
/* Two values that belong together are guarded one after the other. */
#include <assert.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int data1, data2;

static void *one(void *unused)
{
	gate('a');
	pthread_mutex_lock(&lock);
	data1 = 1;
#ifndef RIGHT
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	data2 = data1 + 1;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	pthread_mutex_lock(&lock);
	int first = data1;
#ifndef RIGHT
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	int second = data2;
	pthread_mutex_unlock(&lock);
	if (first)
		assert(second == first + 1);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, NULL))
		return 2;
	return 0;
}
