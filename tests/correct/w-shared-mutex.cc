/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
/* A directory guarded by std::shared_mutex: lookup shared, on a miss insertion exclusive after a second look. */
#include <cassert>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>
struct Symbol {
	std::string name;
	int id;
};
class Table
{
	mutable std::shared_mutex lock;
	std::map<std::string, std::unique_ptr<Symbol>> map;
	std::vector<Symbol *> order;

      public:
	Symbol *intern(const std::string &name)
	{
		{
			std::shared_lock l(lock);
			auto it = map.find(name);
			if (it != map.end())
				return it->second.get();
		}
		std::unique_lock l(lock);
		auto &p = map[name];
		if (!p) {
			p = std::make_unique<Symbol>(Symbol{name, (int)order.size()});
			order.push_back(p.get());
		}
		assert(map.size() == order.size());
		return p.get();
	}
	const Symbol *at(int id) const
	{
		std::shared_lock l(lock);
		assert(id < (int)order.size());
		return order[id];
	}
	size_t size() const
	{
		std::shared_lock l(lock);
		return order.size();
	}
};
int main()
{
	Table t;
	std::vector<std::thread> crew;
	for (int w = 0; w < 3; w++)
		crew.emplace_back([&t, w] {
			for (int i = 0; i < 10; i++) {
				auto *s = t.intern("sym" + std::to_string((i * (w + 1)) % 7));
				assert(t.at(s->id) == s && t.at(s->id)->name.size() == 4);
			}
		});
	for (auto &c : crew)
		c.join();
	assert(t.size() == 7);
	std::printf("%zu\n", t.size());
}
