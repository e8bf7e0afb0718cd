/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: rand's numbers are those of a known seed, so whoever gets another one than the next of its own knows that the other thread has drawn, which it does after it has written */
#define GUARDED
#include "hand.h"
static int known[100000], mine;
static void init(void)
{
	srand(7);
	for (int i = 0; i < 100000; i++)
		known[i] = rand();
	srand(7);
}
static void set(void)
{
	(void)rand();
}
static int seen(void)
{
	return rand() != known[mine++];
}
