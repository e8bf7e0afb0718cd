/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
// Correct: a shared mutex with time-outs, and a table of the C++ library behind it
#include <chrono>
#include <mutex>
#include <cstdio>
#include <shared_mutex>
#include <string>
#include <thread>
#include <unordered_map>
static std::shared_timed_mutex m;
static std::unordered_map<int, std::string> table;
static void reader(int *found)
{
	for (int i = 0; i < 5; i++) {
		std::shared_lock<std::shared_timed_mutex> l(m, std::chrono::milliseconds(200));
		if (l.owns_lock()) {
			auto p = table.find(i);
			if (p != table.end() && p->second.size() == size_t(i + 1))
				++*found;
		}
	}
}
static void writer()
{
	for (int i = 0; i < 5; i++) {
		std::unique_lock<std::shared_timed_mutex> l(m, std::defer_lock);
		while (!l.try_lock_for(std::chrono::milliseconds(50)))
			std::this_thread::yield();
		table.emplace(i, std::string(i + 1, 'a'));
	}
}
int main()
{
	int a = 0, b = 0;
	std::thread w(writer), x(reader, &a), y(reader, &b);
	w.join();
	x.join();
	y.join();
	std::printf("%zu\n", table.size());
	return table.size() != 5 || a > 5 || b > 5;
}
