/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
// Correct: in each phase the barrier's completion adds up what the threads have written before they arrived
#include <barrier>
#include <cstdio>
#include <latch>
#include <thread>
#include <vector>
static int part[3], sum[4], phase;
static auto add = []() noexcept {
	for (int &x : part) {
		sum[phase] += x;
		x = 0;
	}
	phase++;
};
static std::barrier<decltype(add)> b(3, add);
static std::latch begun(3);
int main()
{
	std::vector<std::thread> t;
	for (int i = 0; i < 3; i++)
		t.emplace_back([i] {
			begun.arrive_and_wait();
			for (int k = 0; k < 4; k++) {
				part[i] = i + k + (k ? sum[k - 1] : 0);
				if (i == 2 && k == 3) {
					b.arrive_and_drop();
					return;
				}
				b.arrive_and_wait();
			}
		});
	for (auto &x : t)
		x.join();
	std::printf("%d %d\n", phase, sum[3]);
	return phase != 4 || sum[3] != 174;
}
