/* norn-test
 * errors: yes
 * finding: ^race sum\b.* predicted
 * silent: -DRIGHT
 */
/* The first std::thread has ended, and the state that it was given is freed, when the second one is created: malloc gives its state the
 * same memory. Nothing else is in order between them. */
#include <atomic>
#include <sched.h>
#include <string>
#include <thread>
#include <unistd.h>

int sum;
static std::atomic<int> id;

int main()
{
	std::thread one([] {
		id.store(gettid(), std::memory_order_relaxed);
		sum++;
	});
#ifdef RIGHT
	one.join();
#else
	while (!id.load(std::memory_order_relaxed))
		sched_yield();
	std::string task = "/proc/self/task/" + std::to_string(id.load(std::memory_order_relaxed));
	while (access(task.c_str(), F_OK) == 0) /* it is there */
		sched_yield();
#endif
	std::thread two([] { sum++; });
#ifndef RIGHT
	one.join();
#endif
	two.join();
	return 0;
}
