/* norn-test
 * build: clang-19 -O2 -pthread -c $SRC/k-spin-part.c -o part.o
 * silent: part.o
 * unjudged:
 */
/* Correct: an address comes out of the box after it was put in */
#include "correct.h"
#include "k-part.h"
T(prod)
{
	for (int i = 1; i <= 5; i++) {
		int *q = malloc(sizeof *q);
		*q = i;
		part_push(q);
	}
	return a;
}
static int sum;
T(cons)
{
	for (int i = 0; i < 5; i++) {
		int *q = part_pop();
		sum += *q;
		free(q);
	}
	return a;
}
int main(void)
{
	pthread_t x, y;
	GO(x, prod, 0);
	GO(y, cons, 0);
	WAIT(x);
	WAIT(y);
	printf("%d\n", sum);
	return sum != 15;
}
