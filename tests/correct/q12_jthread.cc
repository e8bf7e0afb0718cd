/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
/* Correct: the loop ends when it is told to, and the destructor joins */
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>
#include <cstdio>
static int n, end;
static std::mutex m;
static std::condition_variable_any c;
int main()
{
	{
		std::jthread t([](std::stop_token s) {
			std::unique_lock l(m);
			while (c.wait(l, s, [] { return n > 0; })) {
				n--;
				end++;
			}
			end += 100;
		});
		std::stop_callback cb(t.get_stop_token(), [] {
			std::lock_guard l(m);
			end += 1000;
		});
		for (int i = 0; i < 3; i++) {
			std::lock_guard l(m);
			n++;
			c.notify_one();
		}
		for (;;) {
			std::lock_guard l(m);
			if (!n)
				break;
		}
		t.request_stop();
	}
	std::printf("%d\n", end);
	return end != 1103;
}
