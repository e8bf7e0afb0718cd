/* norn-test
 * errors: yes
 * schedule: 121212121212121212121212121212121212121212121212121212121212121212121212121212121212121212121212121212121212121212121212
 * finding: ^race y_guard\b.* predicted
 * finding: ^race y_passed\b.* predicted
 * finding: ^race y_prints\b.* predicted
 * finding: ^race y_hashes\b.* predicted
 * finding: ^race y_string\b.* predicted
 * finding: ^race y_map\b.* predicted
 * finding: ^race y_list\b.* predicted
 * finding: ^race y_vector\b.* predicted
 * finding: ^race y_hashed\b.* predicted
 * finding: ^race y_shared\b.* predicted
 * finding: ^race y_casts\b.* predicted
 * silent: -DRIGHT
 */
/* Calls of the C++ library that Norn knows leave what comes after them to prediction, as in after_call.c. */
#include <algorithm>
#include <functional>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

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
struct base {
	virtual ~base()
	{
	}
};
struct derived : base {
	int more = 3;
};
static volatile int seven = 7;
static __thread int me;

/* clang-format off */
SECTION(guard, if (me == 1) { static made first(seven); return first.value; } static made second(seven); return second.value;)
SECTION(prints, std::cout << "hi " << 3 << "\n"; return 1;)
SECTION(hashes, return (int)std::hash<std::string_view>()("text");)
SECTION(string, std::string s("not so short that it has room within"); s += "abc"; s.append(3, 'c'); s.reserve(100); return s == "x";)
SECTION(map, std::map<int, int> m; for (int i = 0; i < 9; i++) m[i * 4 % 9] = i; m.erase(3); int n = 0; for (auto &e : m) n += e.second; return n;)
SECTION(list, std::list<int> l{4, 2, 3}; l.push_front(int(seven)); l.sort(); l.reverse(); l.erase(l.begin()); return l.front();)
SECTION(vector, std::vector<int> v; for (int i = 0; i < 40; i++) v.push_back(i * 7 % 40); std::sort(v.begin(), v.end()); return v.size() + v[3];)
SECTION(hashed, std::unordered_map<int, int> m; for (int i = 0; i < 20; i++) m[i] = i; m.erase(3); int n = 0; for (auto &e : m) n += e.second; return n;)
SECTION(shared, auto p = std::make_shared<int>(int(seven)); auto q = p; std::weak_ptr<int> w = q; p.reset(); return w.lock() ? *q : 0;)
SECTION(casts, std::unique_ptr<base> b(new derived); auto *d = dynamic_cast<derived *>(b.get()); return d ? d->more : 0;)
SECTION(passed, static made own(seven); return own.value;)
/* clang-format on */

static part *const parts[][2] = {
        {one_guard, two_guard},
        {one_prints, two_prints},
        {one_hashes, two_hashes},
        {one_string, two_string},
        {one_map, two_map},
        {one_list, two_list},
        {one_vector, two_vector},
        {one_hashed, two_hashed},
        {one_shared, two_shared},
        {one_casts, two_casts},
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
