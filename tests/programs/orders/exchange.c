/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^race \S*value observed
 * silent: -DRIGHT
 */
/* A mailbox: the exchange that puts a letter in must release. */
#include <stddef.h>

#include "orders.h"

struct letter {
	int value;
};
static struct letter letter;
static struct letter *_Atomic box;
int got;

static void *send(void *unused)
{
	gate('a');
	letter.value = 42;
	atomic_exchange_explicit(&box, &letter, PICK(ACQ_REL, ACQUIRE));
	gate_leave();
	return unused;
}

static void *receive(void *unused)
{
	gate('b');
	struct letter *l = atomic_exchange_explicit(&box, NULL, ACQ_REL);
	if (l)
		got = l->value;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, send, receive, NULL) || got != 42;
}
