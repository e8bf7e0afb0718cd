/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: -std=c++20 -O0 settle.o
 * cc: -std=c++20 -O1 settle.o
 * check: --model $SRC/../settle.model
 * finding: ^use-after-return .* predicted .*operator
 * silent: -std=c++20 -O0 -DFIXED settle.o
 * silent: -std=c++20 -O1 -DFIXED settle.o
 */
/* Wrong: a function that the main thread calls leaves a local behind, which a detached thread has by reference. */
#include "../settle.h"
#include <atomic>
#include <semaphore.h>
#include <thread>
#ifdef FIXED
#define RIGHT(...) __VA_ARGS__
#define WRONG(...)
#else
#define RIGHT(...)
#define WRONG(...) __VA_ARGS__
#endif
static std::atomic<int> started;
static sem_t finished;
static int out;
__attribute__((noinline)) static void serve()
{
	int local[4] = {1, 2, 3, 4};
	std::atomic<int> over{0};
	std::thread t([&local, &over] {
		started = 1;
		int s = 0;
		for (int &x : local)
			s += x;
		out = s;
		RIGHT(over = 1;)
		sem_post(&finished);
	});
	t.detach();
	while (!started)
		std::this_thread::yield();
	WRONG(settle();)
	RIGHT(while (!over) std::this_thread::yield();)
}
int main()
{
	sem_init(&finished, 0, 0);
	serve();
	sem_wait(&finished);
	return 0;
}
