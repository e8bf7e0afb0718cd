/* norn-test
 * build: clang-19 -O2 -pthread -c $SRC/k-spin-part.c -o part.o
 * silent: part.o
 * unjudged:
 */
/* Norn said, falsely (1ef9590 to 5becc41): -O0 to -O2: race *cells observed, use after free predicted: pool_wait of a pool without hooks.
 * Correct: jobs have cells of their own, and pool_wait orders all of them before what follows */
#include "correct.h"
#include "k-part.h"
static int res[8], all, *cells;
static void job(void *a)
{
	int i = (int)(intptr_t)a;
	res[i] = i * i;
	cells[i]++;
	if (i == 3)
		J();
}
static void last(void *a)
{
	int *q = a;
	for (int i = 0; i < 8; i++)
		all += res[i] + cells[i];
	free(q);
}
int main(void)
{
	cells = calloc(8, sizeof *cells);
	pool_start();
	for (int i = 0; i < 8; i++)
		pool_submit(job, (void *)(intptr_t)i);
	pool_wait();
	int n = 0;
	for (int i = 0; i < 8; i++) {
		n += res[i] + cells[i];
		cells[i]++;
	}
	pool_submit(last, cells);
	pool_wait();
	printf("%d %d\n", n, all);
	pool_stop();
	return all != n + 8;
}
