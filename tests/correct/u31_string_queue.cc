/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
// Correct: strings, short and long, go through a queue
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <queue>
#include <string>
#include <thread>
static std::queue<std::string> q;
static std::mutex m;
static std::condition_variable c;
static size_t total;
static bool end;
static void taker()
{
	for (;;) {
		std::unique_lock<std::mutex> l(m);
		c.wait(l, [] { return end || !q.empty(); });
		if (q.empty())
			return;
		std::string s = std::move(q.front());
		q.pop();
		l.unlock();
		s += "!";
		if (s.find("y") != std::string::npos)
			total += s.size();
	}
}
int main()
{
	std::thread t(taker);
	for (int i = 0; i < 6; i++) {
		std::string s(i * 9, "xyz"[i % 3]);
		s.append(std::to_string(i));
		std::lock_guard<std::mutex> l(m);
		q.push(std::move(s));
		c.notify_one();
	}
	{
		std::lock_guard<std::mutex> l(m);
		end = true;
		c.notify_all();
	}
	t.join();
	std::printf("%zu\n", total);
	return total != 9 + 2 + 36 + 2;
}
