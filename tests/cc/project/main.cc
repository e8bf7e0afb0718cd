#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

static std::mutex mutex;
static int sum;

static void add(int n)
{
	std::lock_guard<std::mutex> guard(mutex);
	sum += n;
	if (sum == 7)
		throw std::runtime_error(std::to_string(sum));
}

int main()
{
	std::thread other([] { add(3); });
	other.join();
	try {
		add(4);
	} catch (const std::runtime_error &e) {
		std::printf("caught %s\n", e.what());
	}
}
