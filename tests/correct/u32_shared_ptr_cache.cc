/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
// Correct: a cache of weak pointers; the last owner destroys an object outside of the lock
#include <atomic>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>
static std::atomic<int> live;
struct thing {
	int key;
	std::vector<int> v;
	thing(int k) : key(k), v(k + 3, k)
	{
		live++;
	}
	~thing()
	{
		v.clear();
		live--;
	}
};
static std::map<int, std::weak_ptr<thing>> cache;
static std::mutex m;
static std::shared_ptr<thing> get(int k)
{
	std::lock_guard<std::mutex> l(m);
	auto p = cache[k].lock();
	if (!p) {
		p = std::make_shared<thing>(k);
		cache[k] = p;
	}
	return p;
}
static void work(int *sum)
{
	for (int i = 0; i < 5; i++) {
		auto p = get(i & 1);
		for (int x : p->v)
			*sum += x + 1;
	}
}
int main()
{
	int a = 0, b = 0;
	std::thread x(work, &a), y(work, &b);
	x.join();
	y.join();
	std::printf("%d %d %d\n", a, b, live.load());
	return a != b || live;
}
