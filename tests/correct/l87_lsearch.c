/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the array is searched and grows under a lock */
#define GUARDED
#include "hand.h"
#include <search.h>
static int v[4] = {1, 2};
static size_t n = 2;
static int cmp(const void *a, const void *b)
{
	return *(const int *)a != *(const int *)b;
}
static void init(void)
{
}
static void set(void)
{
	lsearch(&(int){7}, v, &n, sizeof *v, cmp);
}
static int seen(void)
{
	return lfind(&(int){7}, v, &n, sizeof *v, cmp) != 0;
}
