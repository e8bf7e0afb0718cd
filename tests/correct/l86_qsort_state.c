/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the array is sorted and searched under a lock */
#define GUARDED
#include "hand.h"
static int v[6] = {6, 5, 4, 3, 2, 1};
static int cmp(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}
static void init(void)
{
}
static void set(void)
{
	qsort(v, 6, sizeof *v, cmp);
}
static int seen(void)
{
	int k = 1;
	return bsearch(&k, v, 6, sizeof *v, cmp) == v;
}
