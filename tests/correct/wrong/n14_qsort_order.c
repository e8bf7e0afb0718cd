/* norn-test
 * errors: yes
 * cc: -O1
 * finding: ^race d
 */
/* Wrong: the data are written after the flag */
#define LATE
#include "../flow.h"
static int cmp(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}
static int flow(int v)
{
	int s[3] = {2 - 3 * v, 1, 3};
	qsort(s, 3, sizeof *s, cmp);
	return s[0] == -1;
}
