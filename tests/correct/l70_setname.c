/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the thread's name is set after the data are written */
#include "hand.h"
static pthread_t me;
static void init(void)
{
	me = pthread_self();
}
static void set(void)
{
	pthread_setname_np(me, "ready");
}
static int seen(void)
{
	char b[16] = "";
	return pthread_getname_np(me, b, sizeof b) == 0 && strcmp(b, "ready") == 0;
}
