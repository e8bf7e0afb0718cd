/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
/* Correct: future::get waits for the task and takes its result */
#include <future>
#include <vector>
#include <cstdio>
int main()
{
	std::vector<int> v(10, 2);
	auto f = std::async(std::launch::async, [&v] {
		int s = 0;
		for (int &x : v)
			s += x++;
		return s;
	});
	int s = f.get();
	for (int x : v)
		s += x;
	auto g = std::async(std::launch::deferred, [&v] { return (int)v.size(); });
	s += g.get();
	v.clear();
	std::printf("%d\n", s);
	return s != 60;
}
