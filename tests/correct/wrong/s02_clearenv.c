/* norn-test
 * errors: yes
 * cc: -O1
 * finding: ^race d
 */
/* Wrong: the data are written after the sign is given */
#define LATE
#define GUARDED
#include "../hand.h"
static void init(void)
{
	setenv("NORN_S", "1", 1);
}
static void set(void)
{
	clearenv();
}
static int seen(void)
{
	return !getenv("NORN_S");
}
