/* norn-test
 * silent: -std=c++20
 */
/* Copy on write through std::shared_ptr guarded by a mutex, and std::atomic_load of one; weak pointers that may be gone. */
#include <atomic>
#include <cassert>
#include <cstdio>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>
struct Snapshot {
	std::vector<int> v;
	int sum;
	explicit Snapshot(std::vector<int> x) : v(std::move(x)), sum(0)
	{
		for (int i : v)
			sum += i;
	}
	~Snapshot()
	{
		sum = -1;
	}
};
static std::mutex lock;
static std::shared_ptr<const Snapshot> current = std::make_shared<Snapshot>(std::vector<int>{1});
static std::shared_ptr<const Snapshot> get()
{
	std::lock_guard g(lock);
	return current;
}
static void add(int n)
{
	std::lock_guard g(lock);
	auto v = current->v;
	v.push_back(n);
	current = std::make_shared<Snapshot>(std::move(v));
}
int main()
{
	std::weak_ptr<const Snapshot> first = get();
	std::thread w([] {
		for (int i = 2; i < 10; i++)
			add(i);
	});
	std::vector<std::thread> r;
	int seen[2] = {};
	for (int k = 0; k < 2; k++)
		r.emplace_back([&, k] {
			for (int i = 0; i < 8; i++) {
				auto s = get();
				int sum = 0;
				for (int x : s->v)
					sum += x;
				assert(sum == s->sum && sum >= seen[k]);
				seen[k] = sum;
				if (auto p = first.lock())
					assert(p->sum == 1);
			}
		});
	w.join();
	for (auto &t : r)
		t.join();
	assert(first.expired());
	assert(get()->sum == 45);
	assert(get().use_count() == 2);
	std::printf("%d\n", get()->sum);
}
