/* norn-test
 * build: clang-19 -O2 -pthread -c $SRC/k-spin-part.c -o part.o
 * silent: part.o
 * unjudged:
 */
/* Correct: part_poll is not zero only after part_signal */
#include "hand.h"
#include "k-part.h"
static void init(void)
{
}
static void set(void)
{
	part_signal();
}
static int seen(void)
{
	return part_poll();
}
