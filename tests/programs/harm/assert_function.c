/* norn-test
 * errors: yes
 * schedule: ab
 * cc: --assert-function broken
 * finding: ^assertion broken\(\) predicted at assert_function.c:\d+ two assert by main/2
 * silent: --assert-function=broken -DRIGHT
 */
/* The program's own function for what must not be, named by --assert-function. */
#include <pthread.h>
#include <unistd.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total = 10, parts = 10;

__attribute__((noinline)) static void broken(void)
{
	_exit(3);
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
	if (total != parts)
		broken();
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
