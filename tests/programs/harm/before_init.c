/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^assertion limit == 7 predicted at before_init.c:\d+ two assert by main/2
 * silent: -DRIGHT
 */
/* The limit is used by a thread that need not wait until it is set. */
#include <assert.h>
#include <semaphore.h>

#include "../sliced/cast.h"

static int limit;
#ifdef RIGHT
static sem_t made;
#endif

static void *one(void *unused)
{
	gate('a');
	limit = 7;
#ifdef RIGHT
	sem_post(&made);
#endif
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
#ifdef RIGHT
	sem_wait(&made);
#endif
	assert(limit == 7);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
#ifdef RIGHT
	sem_init(&made, 0, 0);
#endif
	if (argc < 2 || play(argv, one, two, NULL))
		return 2;
	return 0;
}
