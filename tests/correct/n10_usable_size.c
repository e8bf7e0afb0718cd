/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the flag reaches the branch as the size of a block */
#include "flow.h"
#include <malloc.h>
static int flow(int v)
{
	void *q = malloc(v ? 500 : 20);
	int r = malloc_usable_size(q) >= 500;
	free(q);
	return r;
}
