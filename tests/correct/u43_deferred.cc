/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
// Correct: what is deferred runs in the thread that asks for it, once
#include <cstdio>
#include <future>
#include <mutex>
static int ran, d;
static std::mutex m;
int main()
{
	auto late = std::async(std::launch::deferred, [] {
		ran++;
		return d;
	}).share();
	auto now = std::async(std::launch::async, [late] {
		std::lock_guard<std::mutex> l(m);
		d = 5;
		return 0;
	});
	if (late.wait_for(std::chrono::seconds(0)) != std::future_status::deferred)
		return 3;
	now.wait();
	auto second = std::async(std::launch::async, [late] { return late.get() + 1; });
	int a = second.get(), b = late.get();
	std::printf("%d %d %d\n", a, b, ran);
	return a != 6 || b != 5 || ran != 1;
}
