/* norn-test
 * errors: yes
 * schedule: 12
 * finding: ^assertion
 * twin: -DNOT
 */
/* The first thread's update may come after the second thread's write, and counts from that then (V7). NOT: the
 * assertion is about a value that it cannot reach. */
#include <assert.h>

#include "cast.h"

#ifndef NOT
#define SUM 3
#else
#define SUM 4
#endif

_Atomic int count;

static void *one(void *unused)
{
	gate('1');
	count += 2;
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	count = 1;
	assert(count != SUM);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
