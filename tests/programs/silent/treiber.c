/* norn-test
 * silent:
 */
/* A lock-free stack: nodes are pushed by compare-and-swap, and taken off all at once. */
#include <stdatomic.h>

#include "crew.h"

struct node {
	int value;
	struct node *next;
};
static struct node *_Atomic top;
static int sums[3];

static void *work(void *argument)
{
	int me = number_of(argument);
	for (int i = 0; me && i < 5; i++) {
		struct node *n = malloc(sizeof *n);
		n->value = 1;
		n->next = atomic_load(&top);
		while (!atomic_compare_exchange_weak(&top, &n->next, n))
			;
	}
	struct node *all = atomic_exchange(&top, NULL);
	while (all) {
		struct node *next = all->next;
		sums[me] += all->value;
		free(all);
		all = next;
	}
	return NULL;
}

int main(void)
{
	crew(3, work);
	work(0);
	return sums[0] + sums[1] + sums[2] == 10 ? 0 : 1;
}
