/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
/* Correct: the completion function runs alone between the phases */
#include <barrier>
#include <thread>
#include <cstdio>
static int part[2], total;
struct Sum {
	void operator()() noexcept
	{
		total += part[0] + part[1];
	}
};
int main()
{
	std::barrier<Sum> b(2, Sum{});
	auto f = [&b](int i) {
		for (int k = 0; k < 4; k++) {
			part[i] = k + total;
			b.arrive_and_wait();
		}
	};
	std::thread x(f, 0), y(f, 1);
	x.join();
	y.join();
	std::printf("%d\n", total);
}
