/* norn-test
 * silent:
 * repeat: 3
 * unjudged:
 */
/* Correct: mremap of no bytes gives a shared page a second address: a spinlock there, by one address in each thread */
#include "../../correct/lock.h"
#include <sys/mman.h>
static atomic_int *s[2];
static void init(void)
{
	s[0] = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	s[1] = mremap(s[0], 0, 4096, MREMAP_MAYMOVE);
	if (s[1] == MAP_FAILED)
		abort();
}
static void lk(int i)
{
	while (atomic_exchange(s[i], 1))
		sched_yield();
}
static void ul(int i)
{
	atomic_store(s[i], 0);
}
