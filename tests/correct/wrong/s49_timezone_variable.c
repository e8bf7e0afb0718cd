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
	setenv("TZ", "UTC0", 1);
	tzset();
}
static void set(void)
{
	setenv("TZ", "ABC5", 1);
	tzset();
}
static int seen(void)
{
	return timezone == 5 * 3600;
}
