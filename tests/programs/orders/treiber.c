/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^race \S*value observed
 * silent: -DRIGHT
 */
/* A stack without locks: what is pushed must be released. */
#include "orders.h"

struct node {
	struct node *next;
	int value;
};
static struct node nodes[2];
static struct node *_Atomic top;
int got;

static void *push(void *unused)
{
	gate('a');
	for (int i = 0; i < 2; i++) {
		struct node *old = LOAD(top, RELAXED);
		nodes[i].value = 21;
		do
			nodes[i].next = old;
		while (!atomic_compare_exchange_weak_explicit(&top, &old, &nodes[i], PICK(RELEASE, RELAXED), RELAXED));
	}
	gate_leave();
	return unused;
}

static void *pop(void *unused)
{
	gate('b');
	for (struct node *n = LOAD(top, ACQUIRE); n;) {
		if (!atomic_compare_exchange_weak_explicit(&top, &n, n->next, ACQUIRE, ACQUIRE))
			continue;
		got += n->value;
		n = LOAD(top, ACQUIRE);
	}
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, push, pop, NULL) || got != 42;
}
