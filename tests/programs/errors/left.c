/* norn-test
 * errors: yes
 * cc: -DPOSIX
 * cc: -DC11
 * schedule: ab
 * finding: ^race counted\b
 * never-finding: ^race (result|own)\b
 * silent: -DRIGHT -DPOSIX
 * silent: -DRIGHT -DC11
 */
/* Threads that end by pthread_exit, and not by return: who joins them goes on as if they had. */
#include <threads.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int counted, result, own;

static void leave(int value)
{
	result = value;
#ifdef C11
	thrd_exit(value);
#else
	pthread_exit(&result);
#endif
}

static int helper_c11(void *unused)
{
	(void)unused;
	own = 1;
	leave(7);
	return 0;
}

static void *helper(void *unused)
{
	helper_c11(unused);
	return unused;
}

static void *one(void *unused)
{
	gate('a');
#ifdef RIGHT
	pthread_mutex_lock(&lock);
#endif
	counted = 1;
#ifdef RIGHT
	pthread_mutex_unlock(&lock);
#endif
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
#ifdef C11
	thrd_t thread;
	if (thrd_create(&thread, helper_c11, NULL) == thrd_success)
		thrd_join(thread, NULL);
#else
	pthread_t thread;
	if (pthread_create(&thread, NULL, helper, NULL) == 0)
		pthread_join(thread, NULL);
#endif
	own = result;
	pthread_mutex_lock(&lock);
	counted = 2;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	(void)helper;
	return argc < 2 || play(argv, one, two, NULL);
}
