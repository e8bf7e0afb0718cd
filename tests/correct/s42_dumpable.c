/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: a setting of the process tells that the data are there */
#include "hand.h"
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
