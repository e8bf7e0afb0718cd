/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^null-dereference box predicted at null_passed.c:\d+ put write by main/2, null_passed.c:\d+ two read by main/2
 * silent: -DRIGHT
 */
/* The same, by a function that is given the pointer. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#include "../sliced/cast.h"

struct box {
	int value, other;
};
static struct box *box;
#ifdef RIGHT
static sem_t made;
#endif

__attribute__((noinline)) static void put(struct box *to, int value)
{
	to->other = value;
}

static void *one(void *unused)
{
	gate('a');
	struct box *new = calloc(1, sizeof *new);
	box = new;
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
	put(box, 3);
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
