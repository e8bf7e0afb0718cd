/* norn-test
 * silent:
 * silent: -O3
 */
/* Correct: a static of a function is made once, whoever comes first; its members are under a lock */
#include <mutex>
#include <cstdio>
#include <thread>
#include <vector>
struct registry {
	std::mutex m;
	std::vector<int> v;
	registry()
	{
		v.reserve(8);
	}
	void add(int i)
	{
		std::lock_guard<std::mutex> hold(m);
		v.push_back(i);
	}
};
static registry &all()
{
	static registry r;
	return r;
}
int main()
{
	std::thread a([] { all().add(1); }), b([] { all().add(2); });
	a.join();
	b.join();
	std::printf("%zu\n", all().v.size());
	return all().v.size() != 2;
}
