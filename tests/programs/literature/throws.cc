/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^assertion b == 7 \|\| b == 0 predicted
 * silent: -DRIGHT
 */
/* What a call returned that may throw, where there is something to destroy. */
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>

extern "C" {
#include "../sliced/cast.h"
}

static std::mutex m;
static int value, calls;
__attribute__((noinline)) static int get()
{
	std::lock_guard<std::mutex> l(m);
	if (++calls > 5)
		throw std::runtime_error("too much");
	return value;
}

static void *one(void *unused)
{
	gate('a');
	{
		std::lock_guard<std::mutex> l(m);
#ifndef RIGHT
		value = 3;
	}
	{
		std::lock_guard<std::mutex> l(m);
#endif
		value = 7;
	}
	gate_leave();
	return unused;
}

struct user {
	int *x;
	user(int *y) : x(y)
	{
	}
	~user()
	{
		(*x)++;
	}
};

static int users;
static void *two(void *unused)
{
	gate('b');
	{
		user u(&users);
		int b = get();
		assert(b == 7 || b == 0);
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
