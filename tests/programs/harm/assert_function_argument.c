/* norn-test
 * errors: yes
 * schedule: ab
 * cc: --assert-function check:2
 * finding: ^assertion check\(\) predicted at assert_function_argument.c:\d+ two assert by main/2
 * finding-count: 1
 * silent: --assert-function=check:2 -DRIGHT
 * silent: --assert-function=check
 */
/* The program's own function, which is told by its second argument that something is wrong, and goes on. If it
 * were not said which argument that is, each call would be a failure, and there is no condition. */
#include <pthread.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total = 10, parts = 10;

static int wrong;

static void check(const char *what, int good)
{
	if (!good)
		wrong += *what;
}

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
	check("parts", total == parts);
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
