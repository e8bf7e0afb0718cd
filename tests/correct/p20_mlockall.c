/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: all memory is locked, if that is allowed */
#include "lock.h"
#include <sys/mman.h>
#include <sys/resource.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void init(void)
{
	setrlimit(RLIMIT_STACK, &(struct rlimit){1 << 20, 8 << 20});
	setrlimit(RLIMIT_AS, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
	mlockall(MCL_CURRENT);
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
