/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the function that qsort calls locks, and counts */
#include "correct.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int count;
static int compare(const void *x, const void *y)
{
	L(m);
	count++;
	U(m);
	return *(const int *)x - *(const int *)y;
}
T(w)
{
	int v[6] = {3, 1, 2, 6, 5, 4};
	qsort(v, 6, sizeof v[0], compare);
	if (v[0] != 1)
		abort();
	L(m);
	count++;
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
	printf("%d\n", count > 8);
	return 0;
}
