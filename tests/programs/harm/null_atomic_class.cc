/* norn-test
 * cc: -O1
 * cc: -O2
 * errors: yes
 * schedule: ab
 * finding: ^null-dereference .*predicted at null_atomic_class.cc:\d+ .*write by main/2
 * silent: -DRIGHT
 */
/* As null_atomic.c, by std::atomic: optimised, for there a load is one instruction. */
#include <atomic>

extern "C" {
#include "../sliced/cast.h"
}

struct box {
	int value, other;
};
static std::atomic<box *> shared;

static void *one(void *unused)
{
	gate('a');
	shared = new box();
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	box *it = shared.load();
#ifdef RIGHT
	if (it)
#endif
		it->other = 3;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, nullptr))
		return 2;
	return 0;
}
