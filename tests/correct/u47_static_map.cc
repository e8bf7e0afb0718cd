/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
// Correct: a table that is made when it is first asked for, and only read afterwards
#include <cstdio>
#include <map>
#include <string>
#include <thread>
static const std::map<std::string, int> &table()
{
	static const std::map<std::string, int> t{{"one", 1}, {"two", 2}, {"three", 3}};
	return t;
}
static void worker(const char *w, int *r)
{
	auto p = table().find(w);
	*r = p == table().end() ? -1 : p->second;
}
int main()
{
	int a = 0, b = 0, c = 0;
	std::thread x(worker, "two", &a), y(worker, "three", &b), z(worker, "four", &c);
	x.join();
	y.join();
	z.join();
	std::printf("%d %d %d\n", a, b, c);
	return a != 2 || b != 3 || c != -1;
}
