/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
/* Correct: call_once runs one function to its end before anyone returns; after an exception another one tries */
#include <mutex>
#include <thread>
#include <stdexcept>
#include <cstdio>
static std::once_flag f;
static int *t, tries;
static int get(int i)
{
	for (;;)
		try {
			std::call_once(f, [] {
				if (!tries++)
					throw std::runtime_error("again");
				t = new int[4]{1, 2, 3, 4};
			});
			return t[i];
		} catch (std::runtime_error &) {
		}
}
int main()
{
	int r[2];
	std::thread x([&] { r[0] = get(1); }), y([&] { r[1] = get(2); });
	x.join();
	y.join();
	std::printf("%d %d %d\n", r[0], r[1], tries);
	delete[] t;
}
