/* norn-test
 * errors: yes
 * schedule: ab
 * cc: -DBY=1
 * cc: -DBY=2
 * finding: ^assertion .* predicted at errx.c:\d+ main
 * silent: -DRIGHT -DBY=1
 * silent: -DRIGHT -DBY=2
 * silent: -DFINE
 */
/* A program that ends by errx (1) or err (2) if an update is lost. Right: it cannot be; fine: the status says that all is well. */
#include <err.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void add(void)
{
	pthread_mutex_lock(&lock);
	int before = count;
#ifndef RIGHT
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	count = before + 1;
	pthread_mutex_unlock(&lock);
}

static void *one(void *unused)
{
	gate('a');
	add();
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	add();
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, NULL))
		return 2;
#ifdef FINE
	if (count != 2)
		errx(0, "%d", count);
#elif BY == 1
	if (count != 2)
		errx(1, "%d", count);
#else
	if (count != 2)
		err(3, "%d", count);
#endif
	return 0;
}
