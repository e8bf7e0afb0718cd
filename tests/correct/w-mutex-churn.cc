/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
/* Objects with a std::mutex, a condition and a shared_mutex inside come and go at the same addresses, on the heap and on stacks of threads that come and go. */
#include <cassert>
#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>
struct A {
	std::mutex m;
	std::condition_variable c;
	int n = 0;
};
struct B {
	std::shared_mutex s;
	int n = 1;
	char pad[sizeof(A) - sizeof(std::shared_mutex) - sizeof(int)];
};
static long total;
static std::mutex tm;
template <typename T, typename F> static void use(F f)
{
	auto p = std::make_unique<T>();
	std::thread a([&] { f(*p); }), b([&] { f(*p); });
	a.join();
	b.join();
	std::lock_guard g(tm);
	total += p->n;
}
static void on_stack()
{
	std::mutex m;
	std::condition_variable c;
	bool ready = false;
	int v = 0;
	std::thread t([&] {
		{
			std::lock_guard g(m);
			v = 3;
			ready = true;
		}
		c.notify_one();
	});
	{
		std::unique_lock l(m);
		c.wait(l, [&] { return ready; });
		assert(v == 3);
	}
	t.join();
}
int main()
{
	std::vector<std::thread> t;
	for (int k = 0; k < 2; k++)
		t.emplace_back([] {
			for (int i = 0; i < 3; i++) {
				use<A>([](A &a) {
					std::lock_guard g(a.m);
					a.n++;
				});
				use<B>([](B &b) {
					std::unique_lock g(b.s);
					b.n *= 2;
				});
				on_stack();
			}
		});
	for (auto &x : t)
		x.join();
	assert(total == 2 * 3 * (2 + 4));
	std::printf("%ld\n", total);
}
