/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
/* Correct: the task's result and exception come by its future */
#include <future>
#include <stdexcept>
#include <thread>
#include <cstdio>
static int d;
int main()
{
	std::packaged_task<int(int)> t([](int k) {
		d = k;
		if (k > 3)
			throw std::out_of_range("k");
		return k;
	});
	auto f = t.get_future();
	std::thread x(std::move(t), 9);
	int r = 0;
	try {
		f.get();
	} catch (std::out_of_range &) {
		r = ++d;
	}
	x.join();
	std::printf("%d\n", r);
	return r != 10;
}
