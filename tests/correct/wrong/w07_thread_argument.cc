/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: -std=c++20 -O0 settle.o
 * cc: -std=c++20 -O1 settle.o
 * check: --model $SRC/../settle.model
 * finding: ^race x predicted
 * silent: -std=c++20 -O1 -DFIXED settle.o
 */
/* Wrong: x is not guarded. What std::thread runs has an argument whose type makes its name too long to be kept whole. */
#include "../settle.h"
#include <mutex>
#include <string>
#include <thread>
#ifdef FIXED
#define RIGHT(...) __VA_ARGS__
#define WRONG(...)
#else
#define RIGHT(...)
#define WRONG(...) __VA_ARGS__
#endif
static std::mutex m;
static int x, y;
static void first()
{
	WRONG(x = 1;)
	std::lock_guard<std::mutex> guard(m);
	RIGHT(x = 1;)
	y++;
}
static void second(std::string text)
{
	m.lock();
	RIGHT(x = 2;)
	y++;
	m.unlock();
	WRONG(x = 2;)
}
int main()
{
	std::string text("42");
	std::thread a(first);
	settle();
	std::thread b(second, text);
	a.join();
	b.join();
	return 0;
}
