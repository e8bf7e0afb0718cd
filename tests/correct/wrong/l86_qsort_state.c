/* norn-test
 * errors: yes
 * cc: -O1
 * finding: ^race d
 */
/* Wrong: the data are written after the sign is given */
#define GUARDED
#define LATE
#include "../hand.h"
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
