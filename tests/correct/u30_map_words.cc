/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
// Correct: words are counted in a map under a mutex
#include <cstdio>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
static std::map<std::string, int> count;
static std::mutex m;
static void words(const char *text)
{
	std::istringstream in(text);
	std::string w;
	while (in >> w) {
		std::lock_guard<std::mutex> l(m);
		count[w]++;
		if (count.size() > 4)
			count.erase(count.begin());
	}
}
int main()
{
	std::thread a(words, "to be or not to be that is the question whether"), b(words, "the answer is to be or to have been");
	a.join();
	b.join();
	int n = 0;
	for (auto &p : count)
		n += p.second > 0;
	std::printf("%d\n", n);
	return n != 4;
}
