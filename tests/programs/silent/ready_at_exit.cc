/* norn-test
 * silent: -DVALUE
 * silent: -DTASK
 * unjudged:
 */
/* X3: a future that is made ready at the end of a thread says that all is over that the thread did. */
#include <future>
#include <thread>
#include <utility>

static int late;

int main()
{
#ifdef VALUE
	std::promise<int> promise;
	std::future<int> future = promise.get_future();
	std::thread thread([&promise] {
		promise.set_value_at_thread_exit(8);
		late = 6;
	});
#else
	std::packaged_task<int()> task([] { return 8; });
	std::future<int> future = task.get_future();
	std::thread thread([&task] {
		task.make_ready_at_thread_exit();
		late = 6;
	});
#endif
	int sum = future.get() + late;
	thread.join();
	return sum == 14 ? 0 : 1;
}
