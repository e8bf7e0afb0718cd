/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the flag reaches the branch as the value of a semaphore */
#include "flow.h"
static int flow(int v)
{
	sem_t s;
	sem_init(&s, 0, (unsigned)v);
	int r = sem_trywait(&s) == 0;
	sem_destroy(&s);
	return r;
}
