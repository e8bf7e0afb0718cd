/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
/* Correct: the predicate is looked at under the mutex */
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <cstdio>
static std::mutex m;
static std::condition_variable c;
static std::deque<int *> q;
static bool done;
static int sum;
int main()
{
	std::thread x([] {
		std::unique_lock l(m);
		for (;;) {
			c.wait(l, [] { return done || !q.empty(); });
			if (q.empty())
				break;
			int *p = q.front();
			q.pop_front();
			l.unlock();
			sum += *p;
			delete p;
			l.lock();
		}
	});
	for (int i = 0; i < 6; i++) {
		int *p = new int(i);
		std::lock_guard l(m);
		q.push_back(p);
		c.notify_one();
	}
	{
		std::lock_guard l(m);
		done = true;
	}
	c.notify_all();
	x.join();
	std::printf("%d\n", sum);
	return sum != 15;
}
