/* norn-test
 * cc: -g -O0 -std=c++20 -pthread -lstdc++
 * prop: prop_text_cxx.prop
 * no-finding: yes
 */
/* Properties that compare a std::string. BAD: it is another one. The exit status of the check says that the verdict is complete. */
#include <mutex>
#include <string>
#include <thread>

struct Server {
	std::string mode = "idle";
} server;
static std::mutex lock;
int jobs;

int main()
{
	std::thread work([] {
		std::lock_guard<std::mutex> guard(lock);
#ifndef BAD
		server.mode = "busy";
#else
		server.mode = "busy, or so";
#endif
		jobs = 1;
	});
	std::thread drain([] {
		std::lock_guard<std::mutex> guard(lock);
		server.mode = "drain: nothing new is taken, and what there is goes on";
	});
	work.join();
	drain.join();
	return 0;
}
