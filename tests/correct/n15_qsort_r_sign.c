/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the flag reaches the branch as qsort_r's argument */
#include "flow.h"
static int cmp(const void *a, const void *b, void *s)
{
	int k = *(const int *)a - *(const int *)b;
	return *(int *)s ? -k : k;
}
static int flow(int v)
{
	int s[3] = {2, 1, 3};
	qsort_r(s, 3, sizeof *s, cmp, &v);
	return s[0] == 3;
}
