/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the pattern is compiled under a lock, after the data are written */
#define GUARDED
#include "hand.h"
#include <regex.h>
static regex_t r;
static void init(void)
{
	regcomp(&r, "^never$", REG_NOSUB);
}
static void set(void)
{
	regfree(&r);
	regcomp(&r, "^g[aeo]$", REG_NOSUB);
}
static int seen(void)
{
	return regexec(&r, "go", 0, 0, 0) == 0;
}
