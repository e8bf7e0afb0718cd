/* norn-test
 * errors: yes
 * schedule: 21
 * finding: ^race y\b
 */
/* The read of state, recorded after the write of 5, may see the 5 that the memory begins with (V2). */
#include "cast.h"

int state = 5, y;

static void *one(void *unused)
{
	gate('1');
	if (__atomic_load_n(&state, __ATOMIC_SEQ_CST) == 5)
		y = 1;
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	y = 2;
	__atomic_store_n(&state, 5, __ATOMIC_SEQ_CST);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
