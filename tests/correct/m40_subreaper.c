/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the process's attribute is set after the data are written */
#include "hand.h"
#include <sys/prctl.h>
static void init(void)
{
}
static void set(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}
static int seen(void)
{
	int v = 0;
	prctl(PR_GET_CHILD_SUBREAPER, &v);
	return v;
}
