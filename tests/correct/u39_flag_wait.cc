/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
// Correct: a lock of an atomic flag that waits, and a counter that is waited for
#include <atomic>
#include <cstdio>
#include <thread>
static std::atomic_flag f = ATOMIC_FLAG_INIT;
static std::atomic<int> turn;
static int d, e[3];
static void locked()
{
	while (f.test_and_set(std::memory_order_acquire))
		f.wait(true, std::memory_order_relaxed);
	d++;
	f.clear(std::memory_order_release);
	f.notify_one();
}
static void worker(int i)
{
	locked();
	for (int k; (k = turn.load()) != i;)
		turn.wait(k);
	e[0] = e[0] * 10 + i;
	turn.store(i + 1);
	turn.notify_all();
	locked();
}
int main()
{
	std::thread a(worker, 2), b(worker, 1), c(worker, 0);
	a.join();
	b.join();
	c.join();
	std::printf("%d %d\n", d, e[0]);
	return d != 6 || e[0] != 12;
}
