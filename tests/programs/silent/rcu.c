/* norn-test
 * silent:
 */
/* Read-copy-update by atomics: readers say that they read; who replaces the object waits until the old one's readers are gone. */
#include <sched.h>
#include <stdatomic.h>

#include "crew.h"

struct config {
	int a, b;
};
static struct config *_Atomic current;
static atomic_int reading[3];
static int wrong[3];

static void *work(void *argument)
{
	int me = number_of(argument);
	for (int i = 0; me && i < 10; i++) {
		atomic_store(&reading[me], 1);
		struct config *c = atomic_load(&current);
		wrong[me] += c->a + 1 != c->b;
		atomic_store(&reading[me], 0);
	}
	for (int i = 0; !me && i < 4; i++) {
		struct config *new = malloc(sizeof *new), *old = atomic_load(&current);
		new->a = old->a + 1;
		new->b = new->a + 1;
		atomic_store(&current, new);
		for (int k = 1; k < 3; k++)
			while (atomic_load(&reading[k]))
				sched_yield();
		free(old);
	}
	return NULL;
}

int main(void)
{
	struct config *first = malloc(sizeof *first);
	first->a = 0;
	first->b = 1;
	atomic_store(&current, first);
	crew(3, work);
	free(atomic_load(&current));
	return wrong[1] + wrong[2];
}
