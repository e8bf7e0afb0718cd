/* norn-test
 * errors: yes
 * cc: -O1
 * finding: ^race d
 */
/* Wrong: the data are written after the sign is given */
#define LATE
#include "../hand.h"
#include <sys/resource.h>
static struct rlimit r;
static void init(void)
{
	getrlimit(RLIMIT_CORE, &r);
	r.rlim_cur = r.rlim_max > 4096 ? 4096 : r.rlim_max;
	setrlimit(RLIMIT_CORE, &r);
	getrlimit(RLIMIT_NOFILE, &r);
	r.rlim_cur = 100;
}
static void set(void)
{
	setrlimit(RLIMIT_NOFILE, &r);
}
static int seen(void)
{
	struct rlimit q;
	getrlimit(RLIMIT_NOFILE, &q);
	return q.rlim_cur == 100;
}
