/* unique_ptr moved out of a shared slot, then used; empty in the other order
   Failing order: b before a
   Shown with -DFAIL: fails rc 139 */
#include "hostile.h"
#include <mutex>
#include <thread>
#include <queue>
#include <memory>
struct job {
	int id;
};
std::mutex m;
std::queue<std::unique_ptr<job>> q;
std::unique_ptr<job> slot;
int main()
{
	std::thread a([] {
		B(2000);
		auto j = std::make_unique<job>(job{1});
		std::lock_guard g(m);
		slot = std::move(j);
	});
	std::thread b([] {
		G(2000);
		std::unique_ptr<job> j;
		{
			std::lock_guard g(m);
			j = std::move(slot);
		}
		printf("%d\n", j->id);
	});
	a.join();
	b.join();
}
