/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
/* Correct: wait returns when the value has changed, after the data are written */
#include <atomic>
#include <thread>
#include <cstdio>
static std::atomic<int> f{0}, g{0};
static std::atomic_flag h;
static int d;
int main()
{
	std::thread x([] {
		f.wait(0);
		d++;
		g = 1;
		g.notify_one();
		h.wait(false);
		d++;
	});
	d = 5;
	f.store(1, std::memory_order_release);
	f.notify_all();
	g.wait(0);
	d *= 2;
	h.test_and_set();
	h.notify_one();
	x.join();
	std::printf("%d\n", d);
	return d != 13;
}
