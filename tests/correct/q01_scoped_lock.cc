/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
/* Correct: std::scoped_lock takes both mutexes without deadlock, in whatever order they are named */
#include <mutex>
#include <thread>
#include <cstdio>
static std::mutex a, b;
static int n;
int main()
{
	std::thread x([] {
		for (int i = 0; i < 5; i++) {
			std::scoped_lock l(a, b);
			n++;
		}
	});
	std::thread y([] {
		for (int i = 0; i < 5; i++) {
			std::scoped_lock l(b, a);
			n++;
		}
	});
	x.join();
	y.join();
	std::printf("%d\n", n);
	return n != 10;
}
