/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the flag reaches the branch as the limit of a wait that times out */
#include "flow.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int flow(int v)
{
	struct timespec t = {0, v ? 0 : 1000000000};
	L(m);
	pthread_cond_t c = PTHREAD_COND_INITIALIZER;
	int r = pthread_cond_timedwait(&c, &m, &t);
	U(m);
	return r == ETIMEDOUT;
}
