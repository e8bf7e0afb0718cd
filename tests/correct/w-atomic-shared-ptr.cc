/* norn-test
 * silent: -std=c++20
 * unjudged:
 */
/* std::atomic<std::shared_ptr>: a configuration is read by some and exchanged by others; a lock-free list of shared nodes. */
#include <atomic>
#include <cassert>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>
struct Config {
	int version, square;
	~Config()
	{
		version = square = -7;
	}
};
static std::atomic<std::shared_ptr<Config>> current;
struct Node {
	int n;
	std::shared_ptr<Node> next;
};
static std::atomic<std::shared_ptr<Node>> head;
static void push(int n)
{
	auto p = std::make_shared<Node>(Node{n, head.load()});
	while (!head.compare_exchange_weak(p->next, p)) {
	}
}
static int pop()
{
	auto p = head.load();
	while (p && !head.compare_exchange_weak(p, p->next)) {
	}
	return p ? p->n : 0;
}
int main()
{
	current.store(std::make_shared<Config>(Config{0, 0}));
	std::atomic<int> sum{0};
	std::vector<std::thread> t;
	t.emplace_back([] {
		for (int i = 1; i < 8; i++) {
			auto o = current.exchange(std::make_shared<Config>(Config{i, i * i}));
			assert(o->version == i - 1);
		}
	});
	for (int k = 0; k < 2; k++)
		t.emplace_back([&sum, k] {
			int last = 0;
			for (int i = 0; i < 6; i++) {
				auto c = current.load();
				assert(c->square == c->version * c->version && c->version >= last);
				last = c->version;
				push(k * 10 + i + 1);
				sum += pop();
			}
		});
	for (auto &x : t)
		x.join();
	for (int n; (n = pop());)
		sum += n;
	assert(sum == 21 + 21 + 60);
	std::printf("%d\n", sum.load());
}
