/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
// Correct: each thread has a stream of its own; texts are collected under a lock and sorted at the end
#include <algorithm>
#include <cstdio>
#include <iomanip>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>
static std::vector<std::string> lines;
static std::mutex m;
static void worker(int n)
{
	for (int i = 0; i < 3; i++) {
		std::ostringstream out;
		out << "line " << std::setw(3) << n << ' ' << i << ' ' << 1.5 * i << std::hex << 255 << '\n';
		std::string s = out.str();
		std::lock_guard<std::mutex> l(m);
		lines.push_back(std::move(s));
	}
}
int main()
{
	std::thread a(worker, 1), b(worker, 2);
	a.join();
	b.join();
	std::sort(lines.begin(), lines.end());
	std::printf("%s%s", lines[0].c_str(), lines[5].c_str());
	return lines.size() != 6;
}
