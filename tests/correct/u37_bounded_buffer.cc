/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
// Correct: a ring between two semaphores; who takes tries for a while first
#include <chrono>
#include <cstdio>
#include <semaphore>
#include <string>
#include <thread>
static std::counting_semaphore<4> room(4), there(0);
static std::string ring[4];
static size_t total;
int main()
{
	std::thread taker([] {
		for (int i = 0; i < 10; i++) {
			while (!there.try_acquire_for(std::chrono::milliseconds(1)))
				;
			total += ring[i & 3].size();
			ring[i & 3].clear();
			room.release();
		}
	});
	for (int i = 0; i < 10; i++) {
		room.acquire();
		ring[i & 3].assign(size_t(i * 4), 'r');
		there.release();
	}
	taker.join();
	std::printf("%zu\n", total);
	return total != 180;
}
