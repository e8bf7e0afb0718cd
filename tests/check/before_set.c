/* A value that a thread sets and another uses, which need not wait for it: see leads-to. SEEN: the first look comes before it is set. SET: it has a value before, too. TESTED: who reads it looks whether it is set.
 * HEAP: memory of malloc, of which nothing is known before. LATER: the line of the test is another than that of the read. */
#include <stdlib.h>

#include "../programs/sliced/cast.h"

struct job {
	long size, other;
};
static struct job *job;
static long size, sum;

#ifdef HEAP
#define SIZE job->size
#else
#define SIZE size
#endif

static void *one(void *unused)
{
	gate('a');
	SIZE = 7;
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
#ifdef LATER
	long found = SIZE;
	sum++;
	if (found > 3)
		sum += job->other;
#elif defined(TESTED)
	if (SIZE)
		sum += job->other;
#else
	sum += SIZE;
#endif
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	job = malloc(sizeof *job);
	job->other = 1;
#ifdef SET
	SIZE = 3;
#endif
#ifdef SEEN
	sum = SIZE;
#endif
	return argc < 2 || play(argv, one, two, NULL);
}
