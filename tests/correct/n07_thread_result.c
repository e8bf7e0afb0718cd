/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the flag reaches the branch as the result of a thread */
#include "flow.h"
T(id)
{
	return a;
}
static int flow(int v)
{
	pthread_t t;
	void *r;
	GO(t, id, v);
	pthread_join(t, &r);
	return r != 0;
}
