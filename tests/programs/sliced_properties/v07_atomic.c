/* norn-test
 * prop: a_first.prop
 * check: --only-props
 * errors: yes
 * schedule: 21
 * finding: ^property a_first\b.* predicted
 * finding-count: 1
 * repeat: 3
 * silent: -DNOT
 */
/* The same with an atomic counter (V7). NOT: who is the second decides by it. */
#include <norn.h>
#include <stdatomic.h>

#include "../sliced/cast.h"

static atomic_int count;

static void *one(void *unused)
{
	gate('1');
#ifndef NOT
	atomic_fetch_add(&count, 1);
	norn_event("B", 0);
#else
	if (atomic_fetch_add(&count, 1) == 1)
		norn_event("B", 0);
#endif
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	norn_event("A", 0);
	atomic_fetch_add(&count, 1);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, NULL) != 0)
		return 1;
	if (count == 2)
		norn_event("C", 0);
	return 0;
}
