/* norn-test
 * errors: yes
 * schedule: ab
 * repeat: 2
 * finding: ^race payload (predicted|observed) .* produce write by main/1, .* consume read by main/2
 * finding-count: 1
 * silent: -DRIGHT
 */
/* From a report against ThreadSanitizer: the payload is read before the flag that says that it is there was looked at. */
#include <stdatomic.h>

#include "../sliced/cast.h"

static atomic_int ready;
volatile int payload;
int result;

static void *produce(void *unused)
{
	gate('a');
	payload = 42;
	atomic_store_explicit(&ready, 1, memory_order_release);
	gate_leave();
	return unused;
}

static void *consume(void *unused)
{
	gate('b');
#ifdef RIGHT
	if (atomic_load_explicit(&ready, memory_order_acquire))
		result = payload;
#else
	int early = payload;
	if (atomic_load_explicit(&ready, memory_order_acquire))
		result = early;
#endif
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, produce, consume, NULL);
}
