/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
/* Correct: all accesses while both threads run are by atomic_ref */
#include <atomic>
#include <thread>
#include <cstdio>
static int n, d;
int main()
{
	std::thread x([] {
		d = 3;
		std::atomic_ref<int>(n).fetch_add(1, std::memory_order_release);
	});
	std::atomic_ref<int> r(n);
	while (r.load(std::memory_order_acquire) != 1)
		std::this_thread::yield();
	d++;
	x.join();
	std::printf("%d %d\n", n, d);
	return d != 4;
}
