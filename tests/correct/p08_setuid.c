/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the program gives its rights up and goes on */
#include "lock.h"
#include <sys/prctl.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void init(void)
{
	if (getuid() == 0 && setuid(65534))
		abort();
	prctl(PR_SET_DUMPABLE, 0);
}
static void lk(int i)
{
	(void)i;
	L(m);
}
static void ul(int i)
{
	(void)i;
	U(m);
}
