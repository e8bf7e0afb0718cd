/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
// Correct: tasks with results in a pool of two threads; a result is used when its future has it
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <thread>
static std::deque<std::packaged_task<int()>> tasks;
static std::mutex m;
static std::condition_variable c;
static bool closed;
static int cell[6];
static void worker()
{
	for (;;) {
		std::packaged_task<int()> t;
		{
			std::unique_lock<std::mutex> l(m);
			c.wait(l, [] { return closed || !tasks.empty(); });
			if (tasks.empty())
				return;
			t = std::move(tasks.front());
			tasks.pop_front();
		}
		t();
	}
}
int main()
{
	std::thread a(worker), b(worker);
	std::future<int> f[6];
	for (int i = 0; i < 6; i++) {
		std::packaged_task<int()> t([i] {
			cell[i] = i;
			return i * i;
		});
		f[i] = t.get_future();
		std::lock_guard<std::mutex> l(m);
		tasks.push_back(std::move(t));
		c.notify_one();
	}
	int sum = 0;
	for (int i = 5; i >= 0; i--)
		sum += f[i].get() + cell[i]++;
	{
		std::lock_guard<std::mutex> l(m);
		closed = true;
	}
	c.notify_all();
	a.join();
	b.join();
	std::printf("%d\n", sum);
	return sum != 55 + 15;
}
