/* norn-test
 * build: clang-19 -O2 -pthread -c $SRC/k-spin-part.c -o part.o
 * silent: part.o
 * unjudged:
 */
/* Correct: part_once calls back once, and returns when that is done */
#include "correct.h"
#include "k-part.h"
static int control, *table, out[2];
static void make(void *a)
{
	table = malloc(40);
	for (int i = 0; i < 10; i++)
		table[i] = i;
	(void)a;
}
T(w)
{
	int i = (int)(intptr_t)a;
	part_once(&control, make, 0);
	out[i] = table[i + 3];
	return 0;
}
int main(void)
{
	pthread_t x, y;
	GO(x, w, 0);
	GO(y, w, 1);
	WAIT(x);
	WAIT(y);
	printf("%d\n", out[0] + out[1]);
	free(table);
	return 0;
}
