/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^use-after-free .*predicted at reference_count.c:\d+
 * silent: -DRIGHT
 */
/* An object is used when its user has given up its reference: the last one frees it. RIGHT: it is used before. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "../sliced/cast.h"

struct object {
	atomic_int references;
	int value;
};
static struct object *object;
static int seen;

static void release(struct object *o)
{
	if (atomic_fetch_sub(&o->references, 1) == 1)
		free(o);
}

static void *one(void *unused)
{
	gate('a');
	struct object *mine = object;
#ifdef RIGHT
	seen = mine->value;
	release(mine);
#else
	release(mine);
	seen = mine->value;
#endif
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	release(object);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	object = calloc(1, sizeof *object);
	atomic_store(&object->references, 2);
	if (argc < 2 || play(argv, one, two, NULL))
		return 2;
	return seen;
}
