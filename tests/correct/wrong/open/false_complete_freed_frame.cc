/* norn c++ -std=c++20 -g -O1 -pthread false_complete_freed_frame.cc -o w && norn run ./w      (-O0, -O1, -O2: 15 of 15
 * recordings)
 * reported: 0 findings; complete.
 * should be: use after return: serve() returns after a sleep, its detached thread reads `local`, which the lambda holds
 * by reference.
 * Section 15 (S15): "Frames: only where a function accesses its own local by name, or passes it alone to a function of
 * synchronization": then a shared frame of which that is not known must keep the verdict
 * from being complete. */
#include <atomic>
#include "lucky.h"

#include <thread>
#include <atomic>
static std::atomic<int> started, out;
static void serve()
{
	int local[4] = {1, 2, 3, 4};
	std::atomic<int> fin{0};
	std::thread t([&local, &fin] {
		started = 1;
		nap(5);
		int s = 0;
		for (int &x : local)
			s += x;
		out = s;
		F(fin = 1;)
	});
	t.detach();
	W(nap(60);) F(while (!fin) std::this_thread::yield();)
} //@
int main()
{
	serve();
	while (!out)
		std::this_thread::yield();
	nap(10);
	return out != 10;
}
