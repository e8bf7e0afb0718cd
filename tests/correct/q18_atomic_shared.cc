/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
/* Correct: the pointer is exchanged and read by atomic operations */
#include <atomic>
#include <memory>
#include <thread>
#include <cstdio>
static std::atomic<std::shared_ptr<const int>> cur;
int main()
{
	cur = std::make_shared<const int>(0);
	int last = 0, ok = 1;
	std::thread w([] {
		for (int i = 1; i <= 5; i++)
			cur.store(std::make_shared<const int>(i));
	});
	while (last < 5) {
		auto p = cur.load();
		if (*p < last)
			ok = 0;
		last = *p;
	}
	w.join();
	std::printf("%d\n", ok);
}
