/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: sysconf tells the limit, which is lowered after the data are written */
#include "hand.h"
#include <sys/resource.h>
static void init(void)
{
}
static void set(void)
{
	struct rlimit r;
	getrlimit(RLIMIT_NOFILE, &r);
	r.rlim_cur = 99;
	setrlimit(RLIMIT_NOFILE, &r);
}
static int seen(void)
{
	return sysconf(_SC_OPEN_MAX) == 99;
}
