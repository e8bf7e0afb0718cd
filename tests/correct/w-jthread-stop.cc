/* norn-test
 * silent: -std=c++20
 */
/* std::jthread with stop tokens and condition_variable_any: workers drain the queue when asked to stop. */
#include <cassert>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>
class Pool
{
	std::mutex m;
	std::condition_variable_any cv;
	std::deque<std::function<void()>> q;
	int ran = 0;
	std::vector<std::jthread> crew;
	void work(std::stop_token st)
	{
		std::unique_lock l(m);
		for (;;) {
			cv.wait(l, st, [this] { return !q.empty(); });
			if (q.empty()) {
				assert(st.stop_requested());
				return;
			}
			auto f = std::move(q.front());
			q.pop_front();
			l.unlock();
			f();
			f = nullptr;
			l.lock();
			ran++;
		}
	}

      public:
	explicit Pool(int n)
	{
		for (int i = 0; i < n; i++)
			crew.emplace_back([this](std::stop_token st) { work(st); });
	}
	void submit(std::function<void()> f)
	{
		{
			std::lock_guard l(m);
			q.push_back(std::move(f));
		}
		cv.notify_one();
	}
	int finish()
	{
		for (auto &t : crew)
			t.request_stop();
		crew.clear();
		return ran;
	}
};
int main()
{
	int out[10] = {};
	Pool p(3);
	for (int i = 0; i < 10; i++)
		p.submit([&out, i] { out[i] = i + 1; });
	int ran = p.finish();
	assert(ran == 10);
	int sum = 0;
	for (int x : out)
		sum += x;
	std::printf("%d %d\n", ran, sum);
}
