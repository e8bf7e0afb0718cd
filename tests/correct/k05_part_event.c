/* norn-test
 * build: clang-19 -O2 -pthread -c $SRC/k-spin-part.c -o part.o
 * silent: part.o
 * unjudged:
 */
/* Correct: part_wait returns after part_signal */
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
	part_wait();
	return 1;
}
