/* norn-test
 * build: clang-19 -O2 -pthread -c $SRC/t-part.c -o part.o
 * silent: part.o
 * unjudged:
 */
/* Correct: two workers of a library write one half and read the other of the phase before; the library's barrier is between */
#include "correct.h"
#include "t-part.h"
static int cell[2][2], sum;
static void phase(int worker, int number)
{
	cell[number & 1][worker] = number + cell[1 - (number & 1)][1 - worker];
	if (worker == 0 && number == 4)
		sum = cell[1][0] + cell[1][1];
}
int main(void)
{
	t_phases(phase, 6);
	printf("%d %d\n", sum, cell[1][0]);
	return 0;
}
