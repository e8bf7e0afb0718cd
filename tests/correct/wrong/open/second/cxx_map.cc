/* std::map v[1] / v[2] inserted under the lock, likewise (here the tree's shape differs, too; unordered_map and shared_ptr assignment as well: v/C6.cc v/C7.cc)
   Failing order: b's region before a's
   Shown with -DFAIL: TSan: data race (pid=6898) */
#include "hostile.h"
#include <map>
#include <unordered_map>
#include <vector>
#include <deque>
#include <list>
#include <string>
#include <mutex>
#include <thread>
#include <memory>
#include <sstream>
std::mutex m;
int x, out;
std::map<int, int> v;
int main()
{
	std::thread a([] {
		B(3000);
		x = 1;
		std::lock_guard g(m);
		v[1] = 1;
	});
	std::thread b([] {
		G(6000);
		{
			std::lock_guard g(m);
			v[2] = 1;
		}
		out = x;
	});
	a.join();
	b.join();
}
