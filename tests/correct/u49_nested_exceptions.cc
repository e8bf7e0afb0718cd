/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
// Correct: an exception goes from thread to thread and is looked into; it dies with its last owner
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
struct error : std::runtime_error {
	std::shared_ptr<int> about;
	error(std::string s, int n) : std::runtime_error(s), about(std::make_shared<int>(n))
	{
	}
};
static std::exception_ptr kept;
static std::mutex m;
static int work(int i)
{
	try {
		if (i)
			throw error("number " + std::to_string(i), i);
		return 0;
	} catch (...) {
		std::lock_guard<std::mutex> l(m);
		if (!kept)
			kept = std::current_exception();
		return 1;
	}
}
int main()
{
	int seen = 0;
	std::thread a(work, 0), b(work, 4), c([&seen] {
		std::exception_ptr p;
		for (;;) {
			std::lock_guard<std::mutex> l(m);
			p = kept;
			if (p)
				break;
		}
		try {
			std::rethrow_exception(p);
		} catch (const error &e) {
			seen = *e.about;
		}
	});
	a.join();
	b.join();
	c.join();
	{
		std::lock_guard<std::mutex> l(m);
		kept = nullptr;
	}
	std::printf("%d\n", seen);
	return seen != 4;
}
