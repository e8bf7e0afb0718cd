/* norn-test
 * errors: yes
 * cc: -O1
 * finding: ^race d
 */
/* Wrong: the data are written after the sign is given */
#define LATE
#include "../hand.h"
#include <sys/prctl.h>
static void init(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 0);
}
static void set(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}
static int seen(void)
{
	int v = 0;
	prctl(PR_GET_CHILD_SUBREAPER, &v);
	return v == 1;
}
