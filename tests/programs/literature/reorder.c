/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^assertion 0 predicted at reorder.c:\d+ check
 * silent: -DRIGHT
 * unjudged: -DRIGHT
 */
/* Two flags that are seen in between (SCTBench, reorder). */
#include "twin.h"

static int a, b;

static void *set(void *unused)
{
	gate('a');
	lock_if(IS_RIGHT);
	a = 1;
	b = -1;
	unlock_if(IS_RIGHT);
	gate_leave();
	return unused;
}

static void *check(void *unused)
{
	gate('b');
	lock_if(IS_RIGHT);
	if (!((a == 0 && b == 0) || (a == 1 && b == -1))) {
		fprintf(stderr, "Bug found!\n");
		assert(0);
	}
	unlock_if(IS_RIGHT);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, set, check, NULL))
		return 2;
	return 0;
}
