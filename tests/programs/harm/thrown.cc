/* norn-test
 * errors: yes
 * schedule: ab
 * cc: -O0 -DDECIDES=0
 * cc: -O1 -DDECIDES=0
 * cc: -O2 -DDECIDES=0
 * finding: ^race data predicted
 * finding-count: 1
 * silent: -DDECIDES=1
 * silent: -DDECIDES=2
 * silent: -DDECIDES=3
 * silent: -DDECIDES=4
 * silent: -DDECIDES=5
 * silent: -DDECIDES=6
 * silent: -DDECIDES=7
 * silent: -DDECIDES=8
 */
/* What was read from a flag decides by an exception, or by what one leaves behind, whether data is used: it is handed over. 0: it
 * decides nothing. */
#include <atomic>
#include <stdexcept>

extern "C" {
#include "../sliced/cast.h"
}

static std::atomic<int> flag;
static int data;
static thread_local int depth;

struct deeper {
	~deeper()
	{
		depth--;
	}
};

struct other {
};

/* A call that may throw in a scope that something is to be destroyed in */
__attribute__((noinline)) static void may_throw(int set)
{
	if (DECIDES <= 1 && set == (DECIDES == 1 ? 0 : 7))
		throw std::runtime_error("not set");
	if (DECIDES == 3 && set)
		throw 1;
	if (DECIDES == 3)
		throw other();
	if (DECIDES == 4)
		throw set;
}

__attribute__((noinline)) static void fill(int *into)
{
	*into = flag.load();
	throw 1;
}

__attribute__((noinline)) static int get()
{
	if (depth > 5)
		throw 1;
	return flag.load();
}

struct user {
	const bool &good;
	~user()
	{
		if (good)
			data++;
	}
};

static void use()
{
	bool good = DECIDES == 0 || DECIDES == 1;
	int value = 0;
	try {
		depth++;
		deeper one;
		if (DECIDES == 2)
			fill(&value);
		if (DECIDES == 5)
			value = get();
		if (DECIDES == 6) {
			bool set = false;
			user two{set};
			set = get();
			get();
		}
		if (DECIDES == 7)
			for (int i = 0; i < 3; i++)
				if (get())
					throw 1L;
		if (DECIDES == 8 && !get())
			return;
		if (DECIDES < 5 && DECIDES != 2)
			may_throw(DECIDES == 0 ? flag.load(), 2 : flag.load());
	} catch (const std::exception &) {
		good = false;
	} catch (const other &) {
	} catch (int thrown) {
		value = DECIDES == 4 ? thrown : DECIDES == 3 ? 1 : value;
	} catch (long) {
		good = true;
	}
	if (DECIDES == 8)
		good = true;
	if (good || value)
		data++;
}

static void *one(void *unused)
{
	gate('a');
	data = 5;
	flag.store(1);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	use();
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, nullptr))
		return 2;
	return 0;
}
