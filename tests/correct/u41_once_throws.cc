/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
// Correct: call_once whose first calls throw; whoever returns from it sees what the one that did not has made
#include <cstdio>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
static std::once_flag o;
static int tries, got[2];
static std::unique_ptr<int> made;
static void worker(int i)
{
	for (;;) {
		try {
			std::call_once(o, [] {
				if (++tries < 3)
					throw std::runtime_error("again");
				made.reset(new int(tries));
			});
			break;
		} catch (const std::runtime_error &) {
		}
	}
	got[i] = *made;
}
int main()
{
	std::thread a(worker, 0), b(worker, 1);
	a.join();
	b.join();
	std::printf("%d %d\n", got[0], got[1]);
	return got[0] != 3 || got[1] != 3;
}
