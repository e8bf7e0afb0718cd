/* norn-test
 * silent: -std=c++20
 */
/* A hand-over by std::atomic wait and notify: a mailbox of one item with three states. */
#include <atomic>
#include <cassert>
#include <cstdio>
#include <thread>
struct Mailbox {
	enum State : int { empty, full, closed };
	std::atomic<int> state{empty};
	int payload = 0, check = 0;
	void send(int v)
	{
		for (int s; (s = state.load(std::memory_order_acquire)) != empty;)
			state.wait(s, std::memory_order_acquire);
		payload = v;
		check = -v;
		state.store(full, std::memory_order_release);
		state.notify_all();
	}
	void close()
	{
		for (int s; (s = state.load(std::memory_order_acquire)) != empty;)
			state.wait(s);
		state.store(closed, std::memory_order_release);
		state.notify_all();
	}
	bool receive(int &v)
	{
		for (int s; (s = state.load(std::memory_order_acquire)) != full;) {
			if (s == closed)
				return false;
			state.wait(s, std::memory_order_acquire);
		}
		v = payload;
		assert(check == -v);
		payload = 0;
		state.store(empty, std::memory_order_release);
		state.notify_all();
		return true;
	}
};
int main()
{
	Mailbox box;
	long sum = 0;
	std::thread r([&] {
		int v, last = 0;
		while (box.receive(v)) {
			assert(v == last + 1);
			last = v;
			sum += v;
		}
	});
	std::thread s([&] {
		for (int i = 1; i <= 10; i++)
			box.send(i);
		box.close();
	});
	s.join();
	r.join();
	assert(sum == 55);
	std::printf("%ld\n", sum);
}
