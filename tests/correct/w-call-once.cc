/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
/* std::call_once whose first try throws, function-local statics, and a singleton by a C++11 atomic pointer with a second look. */
#include <atomic>
#include <cassert>
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>
static std::once_flag flag;
static int tries, value;
static void init()
{
	if (tries++ == 0)
		throw std::runtime_error("not yet");
	value = 42;
}
static int get()
{
	for (;;)
		try {
			std::call_once(flag, init);
			return value;
		} catch (const std::runtime_error &) {
		}
}
struct Registry {
	std::vector<int> v{1, 2, 3};
	static Registry &instance()
	{
		static Registry r;
		return r;
	}
};
struct Lazy {
	int a = 7;
	static std::atomic<Lazy *> p;
	static std::mutex m;
	static Lazy *get()
	{
		Lazy *l = p.load(std::memory_order_acquire);
		if (!l) {
			std::lock_guard g(m);
			l = p.load(std::memory_order_relaxed);
			if (!l) {
				l = new Lazy;
				p.store(l, std::memory_order_release);
			}
		}
		return l;
	}
};
std::atomic<Lazy *> Lazy::p{nullptr};
std::mutex Lazy::m;
int main()
{
	std::vector<std::thread> t;
	for (int i = 0; i < 4; i++)
		t.emplace_back([] {
			assert(get() == 42);
			assert(Registry::instance().v.size() == 3);
			assert(Lazy::get()->a == 7);
			assert(Lazy::get() == Lazy::p.load());
		});
	for (auto &x : t)
		x.join();
	assert(tries == 2);
	delete Lazy::get();
	std::printf("%d\n", value);
}
