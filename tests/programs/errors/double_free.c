/* norn-test
 * errors: yes
 * schedule: abab
 * cc: -DTWICE
 * exit: signal 6
 * finding: ^double-free .* observed at double_free.c:\d+ drop free by main/\d, double_free.c:\d+ drop free by main/\d
 * finding: ^crash ABRT observed
 * finding-count: 2
 */
/* Two threads see the block, and both free it: the allocator ends the program, and Norn says why. */
#include <stdio.h>
#include <stdlib.h>

#include "../sliced/cast.h"

static int *volatile block;

static void drop(int *mine)
{
	free(mine);
}

static void *one(void *unused)
{
	gate('a');
	int *mine = block;
	gate('a');
	if (mine)
		drop(mine);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	int *mine = block;
	gate('b');
	if (mine)
		drop(mine);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	block = malloc(64);
	return argc < 2 || play(argv, one, two, NULL);
}
