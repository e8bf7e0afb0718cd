/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the tree is used under a lock, and gets its node after the data are written */
#define GUARDED
#include "hand.h"
#include <search.h>
static void *root;
static int key[3] = {3, 1, 2};
static int cmp(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}
static void init(void)
{
	tsearch(&key[0], &root, cmp);
}
static void set(void)
{
	tsearch(&key[1], &root, cmp);
	tsearch(&key[2], &root, cmp);
}
static int seen(void)
{
	int k = 2;
	int **n = tfind(&k, &root, cmp);
	return n && **n == 2;
}
