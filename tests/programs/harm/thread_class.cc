/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^assertion count == 2 predicted
 * finding: ^race count predicted
 * finding-count: 2
 * consequence: ^lost-update count: then the update by main/\d at thread_class.cc:\d+ can be lost
 * silent: -DLOCKED
 * silent: -DATOMIC
 * silent: -DLAST
 * unjudged: -DATOMIC
 */
/* Threads of std::thread lose an update. When its function has returned, libstdc++ deletes the thread's state; that has nothing to do
 * with what the thread has read. LOCKED, ATOMIC: none is lost. LAST: what is deleted then decides by what its thread has read. */
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

extern "C" {
#include "../sliced/cast.h"
}

#ifdef ATOMIC
static std::atomic<int> count;
#else
static int count;
#endif
static std::atomic<int> seen;
static std::mutex lock;

static void work(char step)
{
	gate(step);
#if defined(LOCKED) || defined(LAST)
	std::lock_guard<std::mutex> guard(lock);
#endif
#ifdef ATOMIC
	count += 1;
#else
	count = count + 1;
#endif
	gate_leave();
}

#ifdef LAST
/* The first thread says that it is done; if the second has seen that, it uses what was handed over. */
static int handed;
struct last {
	char step;
	int value = 0;
	last(char step) : step(step)
	{
	}
	last(const last &other) : step(other.step)
	{
	}
	void operator()()
	{
		work(step);
		if (step == 'a') {
			handed = 1;
			seen.store(1);
		} else {
			value = seen.load();
		}
	}
	~last()
	{
		if (value)
			handed++;
	}
};
#endif

int main(int, char **argv)
{
#ifdef LAST
	std::thread a(last('a')), b(last('b'));
#else
	std::thread a(work, 'a'), b(work, 'b');
#endif
	gate_gather(2);
	gate_open(argv[1]);
	a.join();
	b.join();
	assert(count == 2);
}
