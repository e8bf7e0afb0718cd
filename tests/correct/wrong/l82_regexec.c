/* norn-test
 * errors: yes
 * cc: -O1
 * finding: ^race d
 */
/* Wrong: the data are written after the sign is given */
#define GUARDED
#define LATE
#include "../hand.h"
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
