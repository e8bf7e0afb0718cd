/* norn-test
 * errors: yes
 * schedule: aba
 * finding: ^race item observed .* look read .* reclaim free
 * silent: -DRIGHT
 */
/* A hazard pointer: who lets go of a block releases it, or its reads may come after the free. */
#include <stdlib.h>

#include "orders.h"

struct item {
	int value;
};
static struct item *_Atomic shared, *_Atomic hazard;
int got, freed;

static void reclaim(struct item *p)
{
	if (atomic_load(&hazard) != p) {
		free(p);
		freed = 1;
	}
}

static void *look(void *unused)
{
	gate('a');
	struct item *p = atomic_load(&shared);
	atomic_store(&hazard, p);
	if (p && atomic_load(&shared) == p)
		got = p->value;
	STORE(hazard, NULL, PICK(RELEASE, RELAXED));
	gate('a');
	gate_leave();
	return unused;
}

static void *remove_it(void *unused)
{
	gate('b');
	struct item *p = atomic_exchange(&shared, NULL);
	reclaim(p);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	struct item *item = malloc(sizeof *item);
	item->value = 42;
	atomic_init(&shared, item);
	return argc < 2 || play(argv, look, remove_it, NULL) || !freed;
}
