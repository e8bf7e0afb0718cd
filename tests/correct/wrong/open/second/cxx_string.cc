/* std::string += under the lock, likewise
   Failing order: b's region before a's
   Shown with -DFAIL: TSan: data race (pid=5625) */
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
std::string s;
int main()
{
	std::thread a([] {
		B(3000);
		x = 1;
		std::lock_guard g(m);
		s += "a";
	});
	std::thread b([] {
		G(6000);
		{
			std::lock_guard g(m);
			s += "b";
		}
		out = x;
	});
	a.join();
	b.join();
}
