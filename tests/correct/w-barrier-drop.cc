/* norn-test
 * silent: -std=c++20
 */
/* std::barrier whose members drop out one after the other; std::latch with try_wait; counting_semaphore with a time limit; atomic_flag wait; stop_callback. */
#include <atomic>
#include <barrier>
#include <cassert>
#include <chrono>
#include <cstdio>
#include <latch>
#include <semaphore>
#include <stop_token>
#include <thread>
#include <vector>
int main()
{
	std::barrier b(3);
	int left[3] = {}, out[3] = {};
	std::latch all(3);
	std::counting_semaphore<3> sem(0);
	std::atomic_flag go = ATOMIC_FLAG_INIT;
	int config = 0, called = 0;
	std::vector<std::thread> t;
	for (int k = 0; k < 3; k++)
		t.emplace_back([&, k] {
			go.wait(false, std::memory_order_acquire);
			assert(config == 3);
			for (int phase = 0; phase <= k; phase++) {
				left[k] = phase + 1;
				b.arrive_and_wait();
				for (int j = k; j < 3; j++)
					assert(left[j] >= phase + 1);
				b.arrive_and_wait();
			}
			b.arrive_and_drop();
			out[k] = left[k] * 10;
			all.count_down();
			sem.release();
		});
	config = 3;
	go.test_and_set(std::memory_order_release);
	go.notify_all();
	for (int k = 0; k < 3; k++)
		while (!sem.try_acquire_for(std::chrono::milliseconds(200))) {
		}
	all.wait();
	assert(all.try_wait() && out[0] == 10 && out[1] == 20 && out[2] == 30);
	for (auto &x : t)
		x.join();
	std::stop_source s;
	std::stop_callback c(s.get_token(), [&] { called++; });
	std::thread r([&s] { s.request_stop(); });
	r.join();
	assert(called == 1);
	std::puts("dropped");
}
