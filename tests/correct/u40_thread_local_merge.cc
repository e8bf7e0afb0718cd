/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
// Correct: what a thread has gathered is merged by the destructor of its thread-local object
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>
static std::mutex m;
static std::vector<std::string> all;
struct gathered {
	std::vector<std::string> v;
	~gathered()
	{
		std::lock_guard<std::mutex> l(m);
		all.insert(all.end(), v.begin(), v.end());
	}
};
static thread_local gathered mine;
static void worker(int n)
{
	for (int i = 0; i < n; i++)
		mine.v.push_back("number " + std::to_string(i) + ", and a text that is long enough");
}
int main()
{
	std::thread a(worker, 2), b(worker, 3);
	a.join();
	b.join();
	std::printf("%zu\n", all.size());
	return all.size() != 5;
}
