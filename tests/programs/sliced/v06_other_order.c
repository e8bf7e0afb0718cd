/* norn-test
 * errors: yes
 * schedule: 12
 * finding: ^race x\b
 * cc: -DLEAST=3
 * twin: -DLEAST=1
 */
/* Each thread waits as long as the other one's flag is LEAST or more, and sets its own to 3 after that. Where 1 does not hold it up, the
 * second may see 1, where it saw 0, while the first is inside (V6): in another order of steps, not in the observed one. */
#include <stdatomic.h>

#include "cast.h"

atomic_int first, second;
int x;

static void *one(void *unused)
{
	gate('1');
	first = 1;
	while (second >= LEAST)
		;
	first = 3;
	x = 1;
	first = 0;
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	second = 1;
	while (first >= LEAST)
		;
	second = 3;
	x = 2;
	second = 0;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
