/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
// Correct: messages of several types; one of them hands a buffer over
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <variant>
#include <vector>
using message = std::variant<int, std::string, std::unique_ptr<std::vector<int>>, std::function<void(int &)>>;
static std::list<message> box;
static std::mutex m;
static std::condition_variable c;
static void send(message x)
{
	std::lock_guard<std::mutex> l(m);
	box.push_back(std::move(x));
	c.notify_one();
}
static int outside;
int main()
{
	int sum = 0;
	std::thread t([&sum] {
		for (bool go = true; go;) {
			std::list<message> mine;
			{
				std::unique_lock<std::mutex> l(m);
				c.wait(l, [] { return !box.empty(); });
				mine.splice(mine.end(), box);
			}
			for (auto &x : mine) {
				if (auto *n = std::get_if<int>(&x))
					go = *n != 0;
				else if (auto *s = std::get_if<std::string>(&x))
					sum += int(s->size());
				else if (auto *v = std::get_if<2>(&x))
					sum += int((*v)->size());
				else
					std::get<3>(x)(sum);
			}
		}
	});
	send(std::string(40, 'a'));
	auto v = std::make_unique<std::vector<int>>(7, 1);
	v->push_back(2);
	send(std::move(v));
	outside = 1000;
	send(std::function<void(int &)>([](int &s) { s += outside; }));
	send(0);
	t.join();
	std::printf("%d\n", sum);
	return sum != 1048;
}
