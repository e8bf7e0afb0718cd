/* norn-test
 * errors: yes
 * schedule: 121212121212121212121212121212121212121212121212121212121212121212121212121212121212121212121212
 * finding: ^race y_guard\b.* predicted
 * finding: ^race y_passed\b.* predicted
 * finding: ^race y_prints\b.* predicted
 * finding: ^race y_hashes\b.* predicted
 * silent: -DRIGHT
 */
/* Calls of the C++ library that Norn knows leave what comes after them to prediction, as in after_call.c. */
#include <functional>
#include <iostream>
#include <string_view>

extern "C" {
#include "../sliced/cast.h"
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#ifdef RIGHT
#define WRITE(variable, value) (pthread_mutex_lock(&lock), variable = value, pthread_mutex_unlock(&lock))
#else
#define WRITE(variable, value) (variable = value)
#endif

/* A call, and two threads that make it. */
#define SECTION(name, ...)                                                                                                         \
	int y_##name;                                                                                                              \
	static int call_##name()                                                                                                   \
	{                                                                                                                          \
		__VA_ARGS__                                                                                                        \
	}                                                                                                                          \
	static void *one_##name(void *unused)                                                                                      \
	{                                                                                                                          \
		me = 1;                                                                                                            \
		gate('1');                                                                                                         \
		if (call_##name() != 12345)                                                                                        \
			WRITE(y_##name, 1);                                                                                        \
		pthread_mutex_lock(&lock);                                                                                         \
		pthread_mutex_unlock(&lock);                                                                                       \
		gate_leave();                                                                                                      \
		return unused;                                                                                                     \
	}                                                                                                                          \
	static void *two_##name(void *unused)                                                                                      \
	{                                                                                                                          \
		me = 2;                                                                                                            \
		gate('2');                                                                                                         \
		pthread_mutex_lock(&lock);                                                                                         \
		pthread_mutex_unlock(&lock);                                                                                       \
		if (call_##name() != 12345)                                                                                        \
			WRITE(y_##name, 2);                                                                                        \
		gate_leave();                                                                                                      \
		return unused;                                                                                                     \
	}

struct made {
	int value;
	made(int n) : value(n)
	{
	}
};
static volatile int seven = 7;
static __thread int me;

/* clang-format off */
SECTION(guard, if (me == 1) { static made first(seven); return first.value; } static made second(seven); return second.value;)
SECTION(prints, std::cout << "hi " << 3 << "\n"; return 1;)
SECTION(hashes, return (int)std::hash<std::string_view>()("text");)
SECTION(passed, static made own(seven); return own.value;)
/* clang-format on */

static part *const parts[][2] = {
        {one_guard, two_guard},
        {one_prints, two_prints},
        {one_hashes, two_hashes},
        {one_passed, two_passed},
};

int main(int argc, char **argv)
{
	for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
		pthread_t threads[2];
		for (unsigned k = 0; k < 2; k++)
			if (pthread_create(&threads[k], nullptr, parts[i][k], nullptr) != 0)
				return 1;
		gate_gather(2 * (i + 1));
		gate_open(argv[1]);
		for (unsigned k = 0; k < 2; k++)
			pthread_join(threads[k], nullptr);
	}
	return argc < 2;
}
