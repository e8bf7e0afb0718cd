/* norn-test
 * build: clang-19 -O2 -pthread -c $SRC/k-spin-part.c -o part.o
 * silent: part.o
 * unjudged:
 */
/* Correct: the callback runs under the part's lock */
#include "correct.h"
#include "k-part.h"
static int d, *p;
static void cb(void *a)
{
	d += *(int *)a;
	free(p);
	p = malloc(4);
	*p = d;
}
T(w)
{
	int one = 1;
	for (int i = 0; i < 5; i++) {
		part_locked(cb, &one);
		J();
	}
	return a;
}
int main(void)
{
	pthread_t x, y;
	GO(x, w, 0);
	GO(y, w, 0);
	WAIT(x);
	WAIT(y);
	printf("%d\n", d);
	free(p);
	return d != 10;
}
