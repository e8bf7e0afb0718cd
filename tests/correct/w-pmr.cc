/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
/* std::pmr::synchronized_pool_resource (in libstdc++, without hooks) hands blocks from thread to thread; each is written, checked and given back. */
#include <cassert>
#include <cstdio>
#include <map>
#include <memory_resource>
#include <mutex>
#include <string>
#include <thread>
#include <vector>
static std::pmr::synchronized_pool_resource pool;
struct Item {
	int n;
	int check;
	std::pmr::string text{&pool};
};
int main()
{
	std::mutex m;
	std::pmr::vector<Item *> shared(&pool);
	int done = 0;
	std::vector<std::thread> t;
	for (int k = 0; k < 3; k++)
		t.emplace_back([&, k] {
			std::pmr::polymorphic_allocator<Item> a(&pool);
			for (int i = 0; i < 8; i++) {
				Item *p = a.allocate(1);
				new (p) Item{i, ~i};
				p->text = "a text that is longer than the small buffer";
				Item *q = nullptr;
				{
					std::lock_guard g(m);
					shared.push_back(p);
					if (shared.size() > 2) {
						q = shared.front();
						shared.erase(shared.begin());
					}
				}
				if (q) {
					assert(q->check == ~q->n && q->text.size() == 43);
					q->~Item();
					a.deallocate(q, 1);
				}
				std::pmr::map<int, std::pmr::string> local(&pool);
				for (int j = 0; j < 3; j++)
					local.emplace(j * k, "value");
				assert(local.size() == (k ? 3u : 1u));
				std::lock_guard g(m);
				done++;
			}
		});
	for (auto &x : t)
		x.join();
	std::pmr::polymorphic_allocator<Item> a(&pool);
	for (Item *p : shared) {
		assert(p->check == ~p->n);
		p->~Item();
		a.deallocate(p, 1);
	}
	assert(done == 24);
	std::printf("%d\n", done);
}
