/* norn-test
 * prop: p.prop
 * errors: yes
 * schedule: 21
 * finding: ^race p\b
 * never-finding: ^property
 */
/* Were the read of p free, A B C would be possible as far as the recorded events go: but with p = 0 there is a C before B. */
#include <norn.h>

#include "cast.h"

int p;

static void *one(void *unused)
{
	gate('1');
	norn_event("A", 0);
	if (p == 0)
		norn_event("C", 0);
	norn_event("B", 0);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	norn_event("C", 0);
	p = 1;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
