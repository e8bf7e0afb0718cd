/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: a number that nobody else has comes from a directory that mkdtemp made */
#include "slot.h"
#include <sys/stat.h>
static void init(void)
{
}
static int take(void)
{
	for (;;) {
		char name[16];
		unsigned r = (unsigned)(__rdtsc() >> 3) % 4;
		snprintf(name, sizeof name, "slot%u", r);
		if (mkdir(name, 0700) == 0)
			return (int)r;
		if (errno != EEXIST)
			abort();
		sched_yield();
	}
}
static void give(int n)
{
	char name[16];
	snprintf(name, sizeof name, "slot%d", n);
	rmdir(name);
}
