/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^race block observed .* first write .* drop free
 * silent: -DRIGHT
 */
/* Who drops releases; the last user needs an acquire fence, too, before it frees the block. */
#include <stdlib.h>

#include "orders.h"

struct block {
	atomic_int users;
	int value;
};
static struct block *shared;
int freed;

static void drop(struct block *b)
{
	if (atomic_fetch_sub_explicit(&b->users, 1, RELEASE) == 1) {
		PICK(atomic_thread_fence(ACQUIRE), (void)0);
		free(b);
		freed = 1;
	}
}

static void *first(void *unused)
{
	gate('a');
	shared->value = 1;
	drop(shared);
	gate_leave();
	return unused;
}

static void *second(void *unused)
{
	gate('b');
	drop(shared);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	shared = malloc(sizeof *shared);
	atomic_init(&shared->users, 1);
	atomic_fetch_add_explicit(&shared->users, 1, RELAXED);
	return argc < 2 || play(argv, first, second, NULL) || !freed;
}
