/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^race \S*value observed
 * silent: -DRIGHT
 */
/* A pointer that is read with consume, which compilers take as acquire. */
#include "orders.h"

struct item {
	int value;
};
static struct item item;
static struct item *_Atomic shared;
int got;

static void *replace(void *unused)
{
	gate('a');
	item.value = 42;
	STORE(shared, &item, RELEASE);
	gate_leave();
	return unused;
}

static void *look(void *unused)
{
	gate('b');
	struct item *p = LOAD(shared, PICK(memory_order_consume, RELAXED));
	if (p)
		got = p->value;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, replace, look, NULL) || got != 42;
}
