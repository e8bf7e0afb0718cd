/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^null-dereference only predicted at singleton.c:\d+ use rmw by main/2
 * silent: -DRIGHT
 */
/* Made on first use, with a look without the lock: that it has been made is said too early. RIGHT: when it is there. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "../sliced/cast.h"

struct service {
	atomic_int users;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct service *only;
static atomic_int made;

static void make(void)
{
	pthread_mutex_lock(&lock);
	if (!atomic_load(&made)) {
#ifndef RIGHT
		atomic_store(&made, 1);
#endif
		only = calloc(1, sizeof *only);
#ifdef RIGHT
		atomic_store(&made, 1);
#endif
	}
	pthread_mutex_unlock(&lock);
}

static void use(void)
{
	if (!atomic_load(&made))
		make();
	only->users++;
}

static void *one(void *unused)
{
	gate('a');
	use();
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	use();
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, NULL))
		return 2;
	return 0;
}
