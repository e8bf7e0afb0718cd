/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^assertion count == 2 predicted at lost_update.c:\d+ main assert by main
 * silent: -DRIGHT
 */
/* Two threads add one each; the assertion comes after both have ended. */
#include <assert.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void increment(void)
{
#ifdef RIGHT
	pthread_mutex_lock(&lock);
#endif
	int now = count;
	count = now + 1;
#ifdef RIGHT
	pthread_mutex_unlock(&lock);
#endif
}

static void *one(void *unused)
{
	gate('a');
	increment();
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	increment();
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, NULL))
		return 2;
	assert(count == 2);
	return 0;
}
