/* norn-test
 * silent: -std=c++20
 */
/* Parallel quicksort by std::async, futures, and a packaged task whose exception comes through. */
#include <algorithm>
#include <cassert>
#include <cstdio>
#include <future>
#include <stdexcept>
#include <thread>
#include <vector>
template <typename It> void sort_parallel(It a, It b, int depth)
{
	if (b - a < 8) {
		std::sort(a, b);
		return;
	}
	auto p = *(a + (b - a) / 2);
	It m1 = std::partition(a, b, [&](const auto &x) { return x < p; });
	It m2 = std::partition(m1, b, [&](const auto &x) { return !(p < x); });
	if (depth > 0) {
		auto left = std::async(std::launch::async, [=] { sort_parallel(a, m1, depth - 1); });
		sort_parallel(m2, b, depth - 1);
		left.get();
	} else {
		sort_parallel(a, m1, 0);
		sort_parallel(m2, b, 0);
	}
}
int main()
{
	std::vector<int> v(200);
	unsigned s = 7;
	for (auto &x : v)
		x = (int)((s = s * 1103515245 + 12345) >> 16) % 1000;
	long before = 0, after = 0;
	for (int x : v)
		before += x;
	sort_parallel(v.begin(), v.end(), 3);
	for (int x : v)
		after += x;
	assert(std::is_sorted(v.begin(), v.end()) && before == after);
	std::packaged_task<int(int)> half([](int n) {
		if (n % 2)
			throw std::invalid_argument("odd");
		return n / 2;
	});
	auto f = half.get_future();
	std::thread t(std::move(half), 7);
	bool thrown = false;
	try {
		f.get();
	} catch (const std::invalid_argument &e) {
		thrown = std::string(e.what()) == "odd";
	}
	t.join();
	assert(thrown);
	std::promise<std::vector<int>> pr;
	auto sf = pr.get_future().share();
	int sums[3] = {};
	std::vector<std::thread> w;
	for (int i = 0; i < 3; i++)
		w.emplace_back([&sums, i, sf] {
			for (int x : sf.get())
				sums[i] += x;
		});
	pr.set_value({1, 2, 3, 4});
	for (auto &x : w)
		x.join();
	assert(sums[0] == 10 && sums[1] == 10 && sums[2] == 10);
	std::puts("sorted");
}
