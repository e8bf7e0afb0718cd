/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^assertion second.n == 1 predicted at copied.c:\d+ main assert by main
 * silent: -DRIGHT
 */
/* What is asserted is a copy of what another thread has to set before (V7). */
#include <assert.h>

#include "../sliced/cast.h"

static struct number {
	int n;
} first, second;
#ifdef RIGHT
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t set = PTHREAD_COND_INITIALIZER;
#endif

static void *one(void *unused)
{
	gate('a');
#ifdef RIGHT
	pthread_mutex_lock(&lock);
	first.n = 1;
	pthread_cond_signal(&set);
	pthread_mutex_unlock(&lock);
#else
	first.n = 1;
#endif
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
#ifdef RIGHT
	pthread_mutex_lock(&lock);
	while (first.n == 0)
		pthread_cond_wait(&set, &lock);
	second = first;
	pthread_mutex_unlock(&lock);
#else
	second = first;
#endif
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, NULL))
		return 2;
	assert(second.n == 1);
	return 0;
}
