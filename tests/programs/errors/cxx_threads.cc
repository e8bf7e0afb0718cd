/* norn-test
 * errors: yes
 * unjudged:
 * cc: -DTHREADS
 * cc: -DASYNC
 * finding: race counter (predicted|observed) at .*
 */
/* An unguarded counter in threads that libstdc++ begins (X11.a). Both live at once, so that none gets memory that the other freed. */
#include <atomic>
#include <future>
#include <thread>

static int counter;
static std::atomic<int> begun;

static void work()
{
	for (begun++; begun < 2;)
		;
	counter++;
}

int main()
{
#ifdef THREADS
	std::thread a(work), b(work);
	a.join();
	b.join();
#else
	auto a = std::async(std::launch::async, work), b = std::async(std::launch::async, work);
	a.get();
	b.get();
#endif
	return counter == 0;
}
