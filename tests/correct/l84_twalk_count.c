/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the tree is walked under a lock; the callback counts */
#define GUARDED
#include "hand.h"
#include <search.h>
static void *root;
static int key[4] = {3, 1, 2, 4}, n;
static int cmp(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}
static void visit(const void *q, VISIT w, int l)
{
	(void)l;
	if (w == postorder || w == leaf)
		n += **(int *const *)q;
}
static void init(void)
{
	tsearch(&key[0], &root, cmp);
}
static void set(void)
{
	for (int i = 1; i < 4; i++)
		tsearch(&key[i], &root, cmp);
}
static int seen(void)
{
	n = 0;
	twalk(root, visit);
	return n == 10;
}
