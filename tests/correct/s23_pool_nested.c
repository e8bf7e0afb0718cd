/* norn-test
 * build: clang-19 -O2 -pthread -c $SRC/k-pool-part.c -o part.o
 * silent: part.o
 * unjudged:
 */
/* Correct: a job of a pool without hooks submits the next one, which goes on with its data */
#include "correct.h"
#include "k-part.h"
static int left = 6, *data;
static void step(void *a)
{
	int *p = a;
	*p += left;
	if (--left)
		pool_submit(step, p);
	else
		*p += 1000;
}
int main(void)
{
	data = calloc(1, sizeof *data);
	pool_start();
	pool_submit(step, data);
	pool_wait();
	pool_stop();
	printf("%d\n", *data);
	free(data);
	return 0;
}
