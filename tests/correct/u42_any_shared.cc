/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
// Correct: readers wait by a condition with a shared lock until the writer has written
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>
static std::shared_mutex m;
static std::condition_variable_any c;
static int version;
static std::vector<int> data;
static void reader(int *sum)
{
	std::shared_lock<std::shared_mutex> l(m);
	c.wait(l, [] { return version == 2; });
	for (int x : data)
		*sum += x;
}
int main()
{
	int a = 0, b = 0;
	std::thread x(reader, &a), y(reader, &b);
	for (int i = 1; i < 3; i++) {
		std::unique_lock<std::shared_mutex> l(m);
		data.assign(size_t(i * 5), i);
		version = i;
		l.unlock();
		c.notify_all();
	}
	x.join();
	y.join();
	std::printf("%d %d\n", a, b);
	return a != 20 || b != 20;
}
