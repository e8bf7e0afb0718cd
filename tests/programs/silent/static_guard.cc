/* norn-test
 * silent:
 * silent: -DTHROWS
 * silent: -DSLOW
 * unjudged:
 * schedule: 1212
 */
/* Static variables of functions: whoever comes first initialises them, and all others see that it was done, by the guard's byte or by a call that waits. The first
 * writes before it initialises; the second may touch that after it has seen the variable. */
#include <cstdlib>

extern "C" {
#include "../sliced/cast.h"
}

static int before, tries, inside;

struct made {
	int value;
	made() : value(0)
	{
		inside++;
#ifdef THROWS
		if (++tries == 1)
			throw 1;
#endif
		value = before;
	}
};

static int get()
{
	static made own;
	return own.value;
}

static int begin()
{
#ifdef THROWS
	try {
		return get();
	} catch (int) {
	}
#endif
	return get();
}

static void *one(void *unused)
{
	gate('1');
	before = 5;
	int got = begin();
#ifdef SLOW
	gate('1');
	got += get();
#endif
	gate_leave();
	return got ? unused : nullptr;
}

static void *two(void *unused)
{
	gate('2');
#ifdef SLOW
	gate('2');
#endif
	if (get() == 5)
		before = inside + 1;
	gate_leave();
	return unused;
}

int main(int, char **argv)
{
	return play(argv, one, two, nullptr) || before < 2;
}
