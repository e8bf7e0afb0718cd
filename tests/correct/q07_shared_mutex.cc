/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
/* Correct: readers share, the writer excludes */
#include <map>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <cstdio>
static std::shared_mutex m;
static std::map<int, int> t;
static int hits[2];
int main()
{
	auto rd = [](int i) {
		for (int k = 0; k < 10; k++) {
			std::shared_lock l(m);
			if (t.count(k))
				hits[i]++;
		}
	};
	std::thread x(rd, 0), y(rd, 1), w([] {
		for (int k = 0; k < 5; k++) {
			std::unique_lock l(m);
			t[k] = k;
		}
	});
	x.join();
	y.join();
	w.join();
	rd(0);
	std::printf("%zu %d\n", t.size(), hits[0] >= 5);
}
