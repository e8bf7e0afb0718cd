/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^race block observed .* first write .* drop free
 * silent: -DRIGHT
 */
/* S20.g: the last user of a counted block frees it: what others did to it must have been released, and acquired. */
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
	if (atomic_fetch_sub_explicit(&b->users, 1, PICK(ACQ_REL, RELAXED)) == 1) {
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
