/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
/* Map-reduce with std::latch and std::barrier with a completion function: each phase's results are read without locks in the next. */
#include <barrier>
#include <cassert>
#include <cstdio>
#include <latch>
#include <thread>
#include <vector>
#include <numeric>
static std::vector<int> input(60), partial(4), folded(3);
int main()
{
	constexpr int n = 4;
	std::latch started(n);
	int phase = 0;
	auto done = [&phase]() noexcept {
		phase++;
		if (phase == 2) {
			folded[0] = partial[0] + partial[1];
			folded[1] = partial[2] + partial[3];
		}
		if (phase == 3)
			folded[2] = folded[0] + folded[1];
	};
	std::barrier sync(n, done);
	std::iota(input.begin(), input.end(), 1);
	std::vector<std::jthread> crew;
	for (int i = 0; i < n; i++)
		crew.emplace_back([&, i] {
			started.arrive_and_wait();
			for (int k = i * 15; k < i * 15 + 15; k++)
				input[k] *= 2;
			sync.arrive_and_wait();
			assert(phase == 1);
			int from = (i + 1) % n;
			for (int k = from * 15; k < from * 15 + 15; k++)
				partial[i] += input[k];
			sync.arrive_and_wait();
			assert(phase == 2);
			sync.arrive_and_wait();
			assert(folded[2] == 60 * 61);
		});
	crew.clear();
	assert(phase == 3);
	std::printf("%d\n", folded[2]);
}
