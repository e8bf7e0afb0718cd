/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the thread's processors are changed after the data are written */
#include "hand.h"
static pthread_t me;
static cpu_set_t all, one;
static void init(void)
{
	me = pthread_self();
	pthread_getaffinity_np(me, sizeof all, &all);
	int i = 0;
	while (!CPU_ISSET(i, &all))
		i++;
	CPU_SET(i, &one);
	CPU_CLR(i, &all);
	if (CPU_COUNT(&all))
		pthread_setaffinity_np(me, sizeof all, &all);
}
static void set(void)
{
	pthread_setaffinity_np(me, sizeof one, &one);
}
static int seen(void)
{
	cpu_set_t s;
	pthread_getaffinity_np(me, sizeof s, &s);
	return CPU_EQUAL(&s, &one);
}
