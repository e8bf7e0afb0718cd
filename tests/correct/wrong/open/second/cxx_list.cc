/* std::list::push_back, likewise (C's head-insert: found, v/c7.c)
   Failing order: b's region before a's
   Shown with -DFAIL: TSan: data race (pid=3928) */
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
std::list<int> v;
int main()
{
	std::thread a([] {
		B(3000);
		x = 1;
		std::lock_guard g(m);
		v.push_back(1);
	});
	std::thread b([] {
		G(6000);
		{
			std::lock_guard g(m);
			v.push_back(2);
		}
		out = x;
	});
	a.join();
	b.join();
}
