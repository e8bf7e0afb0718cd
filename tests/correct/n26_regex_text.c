/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the flag reaches the branch as the text that a pattern meets */
#include "flow.h"
#include <regex.h>
static int flow(int v)
{
	regex_t r;
	regmatch_t g[1];
	regcomp(&r, "b+", REG_EXTENDED);
	int n = regexec(&r, v ? "abba" : "a--a", 1, g, 0) == 0 && g[0].rm_eo == 3;
	regfree(&r);
	return n;
}
