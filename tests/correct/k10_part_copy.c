/* norn-test
 * build: clang-19 -O2 -pthread -c $SRC/k-spin-part.c -o part.o
 * silent: part.o
 * unjudged:
 */
/* Correct: the part writes and reads the program's buffer under its own lock */
#include "hand.h"
#include "k-part.h"
static int box;
static void init(void)
{
}
static void set(void)
{
	part_copy(&box, &(int){1}, sizeof box);
}
static int seen(void)
{
	int v;
	part_copy(&v, &box, sizeof v);
	return v;
}
