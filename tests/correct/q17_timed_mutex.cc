/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
/* Correct: who does not get the lock in time does not touch the data */
#include <chrono>
#include <mutex>
#include <thread>
#include <cstdio>
static std::recursive_timed_mutex m;
static int d, missed[2];
int main()
{
	auto f = [](int i) {
		for (int k = 0; k < 6; k++)
			if (m.try_lock_for(std::chrono::microseconds(20))) {
				m.lock();
				d++;
				m.unlock();
				m.unlock();
			} else
				missed[i]++;
	};
	std::thread x(f, 0), y(f, 1);
	x.join();
	y.join();
	std::printf("%d\n", d + missed[0] + missed[1]);
	return d + missed[0] + missed[1] != 12;
}
