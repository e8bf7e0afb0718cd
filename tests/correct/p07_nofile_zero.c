/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: no more descriptors may be opened; the program opens none */
#include "lock.h"
#include <sys/resource.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void init(void)
{
	setrlimit(RLIMIT_NOFILE, &(struct rlimit){3, 3});
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
