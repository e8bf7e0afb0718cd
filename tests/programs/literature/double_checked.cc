/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^assertion Singleton::get\(\)->isReady\(\) == 1 predicted
 * silent: -DRIGHT
 * unjudged: -DRIGHT
 */
/* The one object is there before it is ready. */
#include <cassert>
#include <atomic>
#include <mutex>

extern "C" {
#include "../sliced/cast.h"
}

class Singleton
{
	static std::atomic<Singleton *> instance;
	static std::mutex m;
	int ready = 0;

      public:
	void init()
	{
		ready = 1;
	}
	int isReady() const
	{
		return ready;
	}
	static Singleton *get()
	{
		Singleton *s = instance.load(std::memory_order_acquire);
		if (!s) {
			std::lock_guard<std::mutex> l(m);
			s = instance.load();
			if (!s) {
				s = new Singleton;
#ifdef RIGHT
				s->init();
				instance.store(s);
#else
				instance.store(s);
				s->init();
#endif
			}
		}
		return s;
	}
};
std::atomic<Singleton *> Singleton::instance;
std::mutex Singleton::m;
static void *one(void *unused)
{
	gate('a');
	Singleton::get();
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	assert(Singleton::get()->isReady() == 1);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, nullptr))
		return 2;
	return 0;
}
