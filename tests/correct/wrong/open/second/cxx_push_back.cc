/* vector::push_back under a common lock on both sides: the racy x after it is "proved" (all branches the same in the other order, only the place differs); the same with deque
   Failing order: b's region before a's
   Shown with -DFAIL: TSan: data race (pid=1345) */
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
std::vector<int> v;
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
