/* norn-test
 * errors: yes
 * no-finding: yes
 * note: main/1 alone ran count \(idle_worker.cc\), though main/2 began like it
 */
/* A pool of two workers, one of which comes when all the jobs are done: what two of these would do at once is in another run. */
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable more, idle;
static std::deque<void (*)()> jobs;
static bool stop;
static int counted, done;

static void count()
{
	counted++;
}

static void work()
{
	std::unique_lock<std::mutex> guard(lock);
	for (;;) {
		more.wait(guard, [] { return stop || !jobs.empty(); });
		if (jobs.empty())
			return;
		void (*job)() = jobs.front();
		jobs.pop_front();
		guard.unlock();
		job();
		guard.lock();
		done++;
		idle.notify_one();
	}
}

int main()
{
	std::thread first(work);
	{
		std::unique_lock<std::mutex> guard(lock);
		jobs.push_back(count);
		jobs.push_back(count);
		more.notify_all();
		idle.wait(guard, [] { return done == 2; });
	}
	std::thread second(work);
	{
		std::lock_guard<std::mutex> guard(lock);
		stop = true;
		more.notify_all();
	}
	first.join();
	second.join();
	return counted == 2 ? 0 : 1;
}
