/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the flag reaches the branch through the environment */
#include "flow.h"
static int flow(int v)
{
	setenv("NORN_N22", v ? "a" : "b", 1);
	return getenv("NORN_N22")[0] == 'a';
}
