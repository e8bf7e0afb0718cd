/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
/* Correct: the exception is handed over under a mutex */
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <cstdio>
static std::mutex m;
static std::exception_ptr e;
int main()
{
	std::thread x([] {
		try {
			throw std::runtime_error(std::string(50, 'x'));
		} catch (...) {
			std::lock_guard l(m);
			e = std::current_exception();
		}
	});
	size_t n = 0;
	while (!n) {
		std::lock_guard l(m);
		if (e)
			try {
				std::rethrow_exception(e);
			} catch (std::runtime_error &r) {
				n = std::string(r.what()).size();
			}
	}
	x.join();
	std::printf("%zu\n", n);
}
