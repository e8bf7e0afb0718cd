/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the flag reaches the branch as text */
#include "flow.h"
static int flow(int v)
{
	char b[16];
	snprintf(b, sizeof b, "<%d>", v);
	return strcmp(b, "<1>") == 0;
}
