/* norn-test
 * silent:
 * unjudged:
 */
/* A static local: its guard is written by the C++ library, which has no hooks, and read by an atomic access of the program's. That
 * orders, though a relaxed counter, which is between the threads as well, does not. */
#include <atomic>
#include <pthread.h>
#include <sched.h>

struct object {
	int value;
	object() : value(21)
	{
	}
};

static object &get()
{
	static object made;
	return made;
}

static std::atomic<int> done;
static int got[2];

static void *first(void *unused)
{
	got[0] = get().value;
	got[0] = get().value; /* sees that the guard has changed */
	done.fetch_add(1, std::memory_order_relaxed);
	return unused;
}

static void *second(void *unused)
{
	while (done.load(std::memory_order_relaxed) < 1)
		sched_yield();
	got[1] = get().value;
	return unused;
}

int main()
{
	pthread_t threads[2];
	pthread_create(&threads[0], nullptr, first, nullptr);
	pthread_create(&threads[1], nullptr, second, nullptr);
	pthread_join(threads[0], nullptr);
	pthread_join(threads[1], nullptr);
	return got[0] + got[1] != 42;
}
