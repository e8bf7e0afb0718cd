/* norn-test
 * cc: -O0 -pthread
 * cc: -O2 -pthread
 * stdout: caught 3
 * stdout: main caught thrown across
 * dump: leave .*unwound
 * dump: \bacquire\b
 */
/* C++: threads, locks, exceptions within a thread and out of a frame. */
#include <atomic>
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

static std::mutex mutex;
static std::vector<int> numbers;
static std::atomic<int> caught;

static void add(int n)
{
	std::lock_guard<std::mutex> guard(mutex);
	numbers.push_back(n);
	if (n % 2)
		throw n;
}

extern "C" __attribute__((noinline)) void thrower(const char *what)
{
	throw std::runtime_error(what);
}

int main()
{
	std::vector<std::thread> threads;
	for (int i = 0; i < 6; i++)
		threads.emplace_back([i] {
			try {
				add(i);
			} catch (int) {
				caught++;
			}
		});
	for (auto &thread : threads)
		thread.join();
	std::printf("caught %d\n", caught.load());
	try {
		thrower("thrown across");
	} catch (const std::exception &e) {
		std::printf("main caught %s\n", e.what());
	}
	return numbers.size() == 6 ? 0 : 1;
}
