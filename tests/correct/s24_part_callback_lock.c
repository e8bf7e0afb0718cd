/* norn-test
 * build: clang-19 -O2 -pthread -c $SRC/k-spin-part.c -o part.o
 * silent: part.o
 * unjudged:
 */
/* Correct: the function that is called back runs under the part's own lock, and takes one of ours in it */
#include "correct.h"
#include "k-part.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int count, other;
static void body(void *a)
{
	count++;
	L(m);
	other += *(int *)a;
	U(m);
}
T(w)
{
	int n = 3;
	for (int i = 0; i < 3; i++)
		part_locked(body, &n);
	L(m);
	other++;
	U(m);
	return a;
}
int main(void)
{
	pthread_t x, y;
	GO(x, w, 0);
	GO(y, w, 0);
	WAIT(x);
	WAIT(y);
	printf("%d %d\n", count, other);
	return count != 6 || other != 20;
}
