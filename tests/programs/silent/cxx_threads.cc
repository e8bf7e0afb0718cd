/* norn-test
 * unjudged:
 * silent: -DTHREADS
 * silent: -DASYNC
 * silent: -DCONDITION
 * silent: -DONCE
 * silent: -DSTATIC
 */
/* The ways of C++: libstdc++ has no hooks, and waits, wakes and calls back. */
#include <atomic>
#include <condition_variable>
#include <functional>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

static int data[4], total;
static std::mutex lock;
static std::condition_variable changed;
static std::once_flag once;
static bool ready;

#ifdef STATIC
static int *made()
{
	static std::vector<int> all(4, 7);
	return all.data();
}
#endif

static void work(int i)
{
#if defined(CONDITION)
	std::unique_lock<std::mutex> guard(lock);
	changed.wait(guard, [] { return ready; });
	guard.unlock();
	data[i] = total;
#elif defined(ONCE)
	std::call_once(once, [] { total = 5; });
	data[i] = total;
#elif defined(STATIC)
	data[i] = made()[i];
#else
	std::lock_guard<std::mutex> guard(lock);
	total += data[i];
#endif
}

int main()
{
#ifdef ASYNC
	std::vector<std::future<int>> results;
	for (int i = 0; i < 3; i++) {
		data[i] = i;
		results.push_back(std::async(std::launch::async, [i] { return data[i] += 1; }));
	}
	for (auto &r : results)
		total += r.get();
	std::promise<int> promise;
	std::thread thread([&promise] {
		data[3] = total;
		promise.set_value(1);
	});
	total += promise.get_future().get();
	total += data[3];
	thread.join();
#else
	std::vector<std::thread> threads;
	for (int i = 0; i < 3; i++) {
		data[i] = i;
		threads.emplace_back(work, i);
	}
#ifdef CONDITION
	{
		std::lock_guard<std::mutex> guard(lock);
		total = 3;
		ready = true;
	}
	changed.notify_all();
#endif
	for (auto &t : threads)
		t.join();
	total += data[0] + data[1] + data[2];
#endif
	return total == 0;
}
