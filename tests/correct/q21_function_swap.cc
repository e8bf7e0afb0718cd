/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
/* Correct: the function object is replaced and called under the mutex */
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <cstdio>
static std::mutex m;
static std::function<int(int)> f = [](int) { return 0; };
static int d;
int main()
{
	std::thread x([] {
		auto big = std::make_shared<int>(4);
		d = 41;
		std::lock_guard l(m);
		f = [big](int k) { return *big * k; };
	});
	int r = 0;
	while (!r) {
		std::lock_guard l(m);
		r = f(2);
	}
	d++;
	x.join();
	std::printf("%d %d\n", r, d);
	return d != 42;
}
