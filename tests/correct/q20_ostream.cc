/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
/* Correct: the streams' own state is used under a lock; strings are the threads' own */
#include <iostream>
#include <mutex>
#include <sstream>
#include <thread>
static std::mutex m;
static std::ostringstream all;
int main()
{
	auto f = [](int i) {
		std::ostringstream o;
		o << "thread " << i << '\n';
		std::lock_guard l(m);
		all << o.str();
	};
	std::thread x(f, 1), y(f, 2);
	x.join();
	y.join();
	std::cout << all.str().size() << std::endl;
}
