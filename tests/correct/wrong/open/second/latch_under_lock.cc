/* std::latch::wait under the lock that the arriving thread needs (also std::atomic::wait: wrong/d_atwait.cc)
   Failing order: u locks first
   Shown with -DFAIL: hang yes */
#include "hostile.h"
#include <latch>
#include <mutex>
#include <thread>
std::mutex m;
std::latch l{1};
int x;
int main()
{
	std::thread t([] {
		B(2000);
		{
			std::lock_guard g(m);
			x++;
		}
		l.count_down();
	});
	std::thread u([] {
		G(2000);
		std::lock_guard g(m);
		l.wait();
		x++;
	});
	t.join();
	u.join();
}
