/* norn-test
 * prop: a_first.prop
 * check: --only-props
 * errors: yes
 * schedule: 21
 * no-finding: yes
 * repeat: 3
 */
/* Who is the second decides by it. */
#include <norn.h>
#include <stdatomic.h>

#include "../sliced/cast.h"

static atomic_int count;

static void *one(void *unused)
{
	gate('1');
	if (atomic_fetch_add(&count, 1) == 1)
		norn_event("B", 0);
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
