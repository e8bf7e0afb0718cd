/* norn-test
 * build: clang-19 -O2 -pthread -c $SRC/t-part.c -o part.o
 * silent: part.o
 * unjudged:
 */
/* Correct: the library halves the work among threads, and joins them before it calls for the whole */
#include "correct.h"
#include "t-part.h"
static int v[8];
static void add(int from, int to)
{
	if (to - from == 1)
		v[from] = from;
	else
		v[from] += v[(from + to) / 2];
}
int main(void)
{
	t_halves(add, 8);
	printf("%d\n", v[0]);
	return v[0] != 28;
}
