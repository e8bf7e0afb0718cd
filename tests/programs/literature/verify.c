/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^assertion abort\(\) predicted at verify.c:\d+ verify
 * silent: -DRIGHT
 */
/* The condition is an argument of a function that aborts. */
#include "twin.h"

static int total, parts;
__attribute__((noinline)) static void verify(int condition)
{
	if (!condition)
		abort();
}

static void *one(void *unused)
{
	gate('a');
	pthread_mutex_lock(&lock);
	total = 5;
	gap();
	parts = 5;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	pthread_mutex_lock(&lock);
	verify(total == parts);
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
