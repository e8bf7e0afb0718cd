/* norn-test
 * errors: yes
 * cc: -O1
 * finding: ^race d
 */
/* Wrong: the data are written after the sign is given */
#define LATE
#include "../flow.h"
static int flow(int v)
{
	errno = 0;
	(void)!strtol(v ? "99999999999999999999999" : "12", 0, 10);
	return errno == ERANGE;
}
