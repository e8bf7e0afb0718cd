/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: a high descriptor fails once the limit is lowered, after the data are written */
#include "hand.h"
#include <fcntl.h>
#include <sys/resource.h>
static struct rlimit r;
static void init(void)
{
	getrlimit(RLIMIT_NOFILE, &r);
	r.rlim_cur = 150;
}
static void set(void)
{
	setrlimit(RLIMIT_NOFILE, &r);
}
static int seen(void)
{
	int f = fcntl(2, F_DUPFD, 180);
	if (f >= 0)
		close(f);
	return f < 0;
}
