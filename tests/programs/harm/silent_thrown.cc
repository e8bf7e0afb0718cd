/* norn-test
 * schedule: ab
 * silent: -DCASE=1
 * silent: -DCASE=2
 * silent: -DCASE=3
 * silent: -DCASE=4
 * unjudged: -DCASE=2
 * unjudged: -DCASE=3
 */
/* Assertions that hold in every schedule, after calls that may throw: what would not do is thrown (1), and caught, and made good (2);
 * one value is set before the other (3); and it is looked for where an exception is caught (4). */
#include <atomic>
#include <cassert>
#include <mutex>

extern "C" {
#include "../sliced/cast.h"
}

static std::mutex lock;
static int value;
static std::atomic<int> before, after;

__attribute__((noinline)) static int get()
{
	std::lock_guard<std::mutex> held(lock);
	if (value == 3)
		throw 7;
	return value;
}

struct user {
	int *count;
	~user()
	{
		(*count)++;
	}
};

static void set(int to)
{
	std::lock_guard<std::mutex> held(lock);
	value = to;
}

static void *one(void *unused)
{
	gate('a');
	set(3);
	set(7);
	after = 1;
	before = 1;
	gate_leave();
	return unused;
}

static void look()
{
	int count = 0, got = 7;
	user u{&count};
	try {
		if (CASE == 1) {
			int b = get();
			assert(b == 7 || b == 0);
		}
		if (CASE == 2 || CASE == 4)
			got = get();
	} catch (int thrown) {
		got = thrown;
		if (CASE == 4)
			assert(thrown != 3);
	}
	if (CASE == 2)
		assert(got == 0 || got == 7);
	if (CASE == 3)
		assert(before.load() == 0 || after.load() == 1);
}

static void *two(void *unused)
{
	gate('b');
	look();
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, nullptr))
		return 2;
	return 0;
}
