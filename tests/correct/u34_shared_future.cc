/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
// Correct: three threads read what one promise has given; another gets an exception
#include <cstdio>
#include <future>
#include <stdexcept>
#include <thread>
#include <vector>
static int plain, second;
int main()
{
	std::promise<std::vector<int>> p;
	std::promise<void> failed;
	std::shared_future<std::vector<int>> f = p.get_future().share();
	std::future<void> g = failed.get_future();
	int sum[3] = {};
	std::vector<std::thread> t;
	for (int i = 0; i < 3; i++)
		t.emplace_back([f, i, &sum] {
			for (int x : f.get())
				sum[i] += x + plain;
		});
	std::thread setter([&] {
		plain = 10;
		p.set_value({1, 2, 3});
		try {
			throw std::runtime_error("no");
		} catch (...) {
			second = plain + 1;
			failed.set_exception(std::current_exception());
		}
	});
	for (auto &x : t)
		x.join();
	int r = 0;
	try {
		g.get();
	} catch (const std::runtime_error &e) {
		r = second;
	}
	setter.join();
	std::printf("%d\n", r);
	return r != 11;
}
