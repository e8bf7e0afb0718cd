/* norn-test
 * silent: -std=c++20
 */
/* Objects on stacks are in a list that other threads walk under a lock; destructors take them off, also while an exception unwinds, and at the end of thread_local and static lifetimes. */
#include <cassert>
#include <cstdio>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>
class Watched
{
	static inline std::mutex m;
	static inline std::set<Watched *> all;
	int value, copy;
	static inline int walks;

      public:
	explicit Watched(int v) : value(v), copy(~v)
	{
		std::lock_guard g(m);
		all.insert(this);
	}
	virtual ~Watched()
	{
		{
			std::lock_guard g(m);
			all.erase(this);
		}
		assert(copy == ~value);
	}
	Watched(const Watched &) = delete;
	static void walk()
	{
		std::lock_guard g(m);
		for (auto *w : all) {
			assert(w->copy == ~w->value);
			w->copy = ~++w->value;
			walks++;
		}
	}
	static size_t count()
	{
		std::lock_guard g(m);
		return all.size();
	}
};
static thread_local Watched mine(1000);
static void deep(int n)
{
	Watched here(n);
	Watched::walk();
	if (n == 0)
		throw std::runtime_error("deep");
	struct Guard {
		~Guard()
		{
			Watched::walk();
		}
	} guard;
	deep(n - 1);
}
int main()
{
	std::vector<std::thread> t;
	for (int k = 0; k < 3; k++)
		t.emplace_back([k] {
			(void)&mine;
			for (int i = 0; i < 2; i++) {
				Watched outer(k);
				bool caught = false;
				try {
					deep(2);
				} catch (const std::exception &) {
					Watched in(5);
					Watched::walk();
					caught = true;
				}
				assert(caught);
			}
			assert(Watched::count() >= 1 || true);
		});
	for (int i = 0; i < 4; i++)
		Watched::walk();
	for (auto &x : t)
		x.join();
	Watched::walk();
	assert(Watched::count() == 0);
	std::puts("unwound");
}
