/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
/* Correct: the destructor of the thread's object runs before the join returns */
#include <string>
#include <thread>
#include <cstdio>
static int total;
struct C {
	std::string s;
	int n = 0;
	~C()
	{
		total += n + (int)s.size();
	}
};
static thread_local C c;
int main()
{
	std::thread x([] {
		c.s = std::string(30, 'y');
		c.n = 3;
	});
	x.join();
	std::thread y([] { c.n = 4; });
	y.join();
	std::printf("%d\n", total);
	return total != 37;
}
