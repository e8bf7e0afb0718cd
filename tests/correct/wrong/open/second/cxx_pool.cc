/* ordinary C++ thread pool (std::thread of [this]{loop();}, std::function queue, condition_variable)
   Failing order: second worker takes job 2
   Shown with -DFAIL: tsan yes */
#include "hostile.h"
#include <condition_variable>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>
class pool
{
	std::mutex m;
	std::condition_variable c;
	std::queue<std::function<void()>> q;
	bool stop = false;
	std::vector<std::thread> t;
	void loop()
	{
		for (;;) {
			std::function<void()> f;
			{
				std::unique_lock g(m);
				c.wait(g, [this] { return stop || !q.empty(); });
				if (q.empty())
					return;
				f = std::move(q.front());
				q.pop();
			}
			f();
		}
	}

      public:
	pool(int n)
	{
		for (int i = 0; i < n; i++)
			t.emplace_back([this] { loop(); });
	}
	void run(std::function<void()> f)
	{
		{
			std::lock_guard g(m);
			q.push(std::move(f));
		}
		c.notify_one();
	}
	~pool()
	{
		{
			std::lock_guard g(m);
			stop = true;
		}
		c.notify_all();
		for (auto &x : t)
			x.join();
	}
};
int total;
int main()
{
	{
		pool p(2);
		p.run([] {
			total++;
			B(2000);
		});
		G(3000);
		p.run([] {
			B(500);
			total += 2;
		});
		G(3000);
	}
	printf("%d\n", total);
}
