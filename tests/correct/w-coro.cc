/* norn-test
 * silent: -std=c++20
 */
/* Coroutines whose steps run on whatever thread of a pool takes them: the frame goes from thread to thread through the queue's lock. */
#include <cassert>
#include <condition_variable>
#include <coroutine>
#include <cstdio>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>
static struct Loop {
	std::mutex m;
	std::condition_variable cv;
	std::deque<std::coroutine_handle<>> ready;
	int live = 0;
	void post(std::coroutine_handle<> h)
	{
		{
			std::lock_guard g(m);
			ready.push_back(h);
		}
		cv.notify_one();
	}
	void run()
	{
		std::unique_lock l(m);
		for (;;) {
			cv.wait(l, [this] { return !ready.empty() || live == 0; });
			if (ready.empty())
				return;
			auto h = ready.front();
			ready.pop_front();
			l.unlock();
			h.resume();
			l.lock();
		}
	}
} loop;
struct Task {
	struct promise_type {
		Task get_return_object()
		{
			return {};
		}
		std::suspend_never initial_suspend()
		{
			return {};
		}
		std::suspend_never final_suspend() noexcept
		{
			return {};
		}
		void return_void()
		{
		}
		void unhandled_exception()
		{
			std::terminate();
		}
	};
};
struct Yield {
	bool await_ready()
	{
		return false;
	}
	void await_suspend(std::coroutine_handle<> h)
	{
		loop.post(h);
	}
	void await_resume()
	{
	}
};
static long total;
static Task count(int n)
{
	std::vector<int> seen;
	long sum = 0;
	for (int i = 1; i <= n; i++) {
		co_await Yield{};
		seen.push_back(i);
		sum += seen.back();
		assert((int)seen.size() == i && sum == (long)i * (i + 1) / 2);
	}
	std::lock_guard g(loop.m);
	total += sum;
	if (--loop.live == 0)
		loop.cv.notify_all();
}
int main()
{
	loop.live = 3;
	for (int i = 0; i < 3; i++)
		count(4 + i);
	std::vector<std::thread> t;
	for (int i = 0; i < 3; i++)
		t.emplace_back([] { loop.run(); });
	for (auto &x : t)
		x.join();
	assert(total == 10 + 15 + 21);
	std::printf("%ld\n", total);
}
