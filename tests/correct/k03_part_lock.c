/* norn-test
 * build: clang-19 -O2 -pthread -c $SRC/k-spin-part.c -o part.o
 * silent: part.o
 * unjudged:
 */
/* Correct: part_lock and part_unlock are a mutex */
#include "lock.h"
#include "k-part.h"
static void init(void)
{
}
static void lk(int i)
{
	(void)i;
	part_lock();
}
static void ul(int i)
{
	(void)i;
	part_unlock();
}
