/* norn-test
 * errors: yes
 * schedule: ab
 * cc: --assert-function my::check:1
 * cc: --assert-function check:1
 * finding: ^assertion my::check\(\) predicted at assert_function_condition.cc:\d+ two assert by main/2
 * finding-count: 1
 * silent: --assert-function=my::check:1 -DRIGHT
 * silent: --assert-function=my::check:2
 * silent: --assert-function=other::check:1
 * silent: --assert-function=my::check:1 -DTESTED
 */
/* A function of the program's own that is given the condition; in a scope that is left by exceptions, too. */
#include <mutex>
#include <stdexcept>

extern "C" {
#include "../sliced/cast.h"
}

static std::mutex lock;
static int total = 10, parts = 10;

namespace my
{
__attribute__((noinline)) static void check(bool good, int kind)
{
	if (!good)
		throw std::logic_error(kind ? "wrong" : "bad");
}
} // namespace my

static void *one(void *unused)
{
	gate('a');
	lock.lock();
	total = 11;
#ifndef RIGHT
	lock.unlock();
	lock.lock();
#endif
	parts = 11;
	lock.unlock();
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	{
		std::lock_guard<std::mutex> guard(lock);
#ifdef TESTED
		if (total == parts)
#endif
			my::check(total == parts, 1);
	}
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, nullptr))
		return 2;
	return 0;
}
