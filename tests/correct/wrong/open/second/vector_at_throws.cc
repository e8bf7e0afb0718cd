/* v.at(3) throws in the other order, nobody catches (also map::at: wrong/a_map_at.cc; own throw: wrong/a_stdthrow.cc)
   Failing order: b before a
   Shown with -DFAIL: exit yes */
#include "hostile.h"
#include <vector>
#include <mutex>
#include <thread>
std::mutex m;
std::vector<int> v;
int main()
{
	std::thread a([] {
		B(2000);
		std::lock_guard g(m);
		v.resize(10);
	});
	std::thread b([] {
		G(2000);
		std::lock_guard g(m);
		printf("%d\n", v.at(3));
	});
	a.join();
	b.join();
}
