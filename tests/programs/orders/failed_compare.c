/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^race \S*value observed
 * silent: -DRIGHT
 */
/* A compare-exchange that fails has an order of its own. */
#include <stddef.h>

#include "orders.h"

struct item {
	int value;
};
static struct item mine, yours;
static struct item *_Atomic installed;
int got;

static struct item *install(struct item *item)
{
	struct item *old = NULL;
	item->value = 21;
	return atomic_compare_exchange_strong_explicit(&installed, &old, item, ACQ_REL, PICK(ACQUIRE, RELAXED)) ? item : old;
}

static void *first(void *unused)
{
	gate('a');
	install(&mine);
	gate_leave();
	return unused;
}

static void *second(void *unused)
{
	gate('b');
	got = install(&yours)->value;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, first, second, NULL) || got != 21;
}
