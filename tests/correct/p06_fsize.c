/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the limit of file sizes is small; the program writes no file */
#include "lock.h"
#include <sys/resource.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void init(void)
{
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){512, 512});
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
