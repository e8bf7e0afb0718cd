/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^race data observed
 * silent: -DRIGHT
 */
/* std::atomic, inlined: its default is sequentially consistent. */
#include <atomic>
#include <pthread.h>

extern "C" {
#include "../sliced/cast.h"
}

#ifdef RIGHT
static constexpr std::memory_order order = std::memory_order_seq_cst;
#else
static constexpr std::memory_order order = std::memory_order_relaxed;
#endif

int data, got;
static std::atomic<int> ready;

static void *produce(void *unused)
{
	gate('a');
	data = 42;
	ready.store(1, order);
	gate_leave();
	return unused;
}

static void *consume(void *unused)
{
	gate('b');
	if (ready.load(order))
		got = data;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, produce, consume, nullptr) || got != 42;
}
