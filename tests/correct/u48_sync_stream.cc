/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
// Correct: lines of two threads come whole into one stream
#include <cstdio>
#include <iostream>
#include <sstream>
#include <syncstream>
#include <thread>
static std::ostringstream all;
static void worker(char c)
{
	for (int i = 0; i < 3; i++)
		std::osyncstream(all) << c << i << c << '\n';
}
int main()
{
	std::thread a(worker, 'a'), b(worker, 'b');
	a.join();
	b.join();
	std::printf("%zu\n", all.str().size());
	return all.str().size() != 24;
}
