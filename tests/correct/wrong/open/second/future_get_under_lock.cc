/* std::future::get() with the lock that the task needs (std::async; also std::promise: wrong/d_promise.cc)
   Failing order: main locks before the task
   Shown with -DFAIL: hang yes */
#include "hostile.h"
#include <future>
#include <mutex>
#include <thread>
std::mutex m;
int x;
int main()
{
	auto f = std::async(std::launch::async, [] {
		B(2000);
		std::lock_guard g(m);
		return ++x;
	});
	G(2000);
	std::lock_guard g(m);
	x += f.get();
}
