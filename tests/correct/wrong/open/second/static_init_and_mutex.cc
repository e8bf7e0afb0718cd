/* initialisation of a function's static takes a mutex; the other thread calls instance() with it held (pthread_once is found)
   Failing order: b locks while a initialises
   Shown with -DFAIL: hang yes */
#include "hostile.h"
#include <mutex>
#include <thread>
std::mutex m;
int x;
struct reg {
	reg()
	{
		B(2000);
		std::lock_guard g(m);
		x++;
	}
	int v = 1;
};
static reg &instance()
{
	static reg r;
	return r;
}
int main()
{
	std::thread a([] { instance(); });
	std::thread b([] {
		G(2000);
		std::lock_guard g(m);
		B(1000);
		x += instance().v;
	});
	a.join();
	b.join();
}
