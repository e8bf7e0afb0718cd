/* norn-test
 * build: clang-19 -O2 -pthread -c $SRC/k-spin-part.c -o part.o
 * silent: part.o
 * unjudged:
 */
/* Norn said, falsely (1ef9590 to 5becc41): -O2, now and then: race d, race p, use after free predicted: a job submits the next one.
 * Correct: each job submits the next one: no two of them overlap */
#include "correct.h"
#include "k-part.h"
static int d, *p;
static void step(void *a)
{
	int n = (int)(intptr_t)a;
	d += n;
	free(p);
	p = malloc(8);
	*p = d;
	if (n)
		pool_submit(step, (void *)(intptr_t)(n - 1));
}
int main(void)
{
	pool_start();
	pool_submit(step, (void *)6);
	pool_wait();
	printf("%d %d\n", d, *p);
	free(p);
	pool_stop();
	return d != 21;
}
