/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
/* Correct: the first one makes the local static, others wait until it is made */
#include <string>
#include <thread>
#include <vector>
#include <cstdio>
static int made;
struct S {
	std::vector<std::string> v;
	S() : v(3, "abc")
	{
		made++;
	}
};
static S &get()
{
	static S s;
	return s;
}
int main()
{
	size_t r[3];
	std::thread t[3];
	for (int i = 0; i < 3; i++)
		t[i] = std::thread([&r, i] { r[i] = get().v[(size_t)i].size() + (size_t)made; });
	for (auto &x : t)
		x.join();
	std::printf("%zu %d\n", r[0] + r[1] + r[2], made);
}
