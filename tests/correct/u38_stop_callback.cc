/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
// Correct: a callback for a stop runs in the thread that asks for it; its destructor waits for it
#include <cstdio>
#include <mutex>
#include <condition_variable>
#include <optional>
#include <stop_token>
#include <thread>
static int told, rounds;
int main()
{
	std::mutex m;
	std::condition_variable_any c;
	std::jthread t([&](std::stop_token s) {
		int mine = 0;
		{
			std::stop_callback cb(s, [&mine] { mine = 1; });
			std::unique_lock<std::mutex> l(m);
			c.wait(l, s, [] { return false; });
			rounds++;
		} // the callback is over here
		told = mine;
	});
	std::stop_source other = t.get_stop_source();
	std::jthread asks([other]() mutable { other.request_stop(); });
	asks.join();
	t.join();
	std::printf("%d\n", rounds);
	return told > 1 || rounds != 1;
}
