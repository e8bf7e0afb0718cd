/* norn-test
 * errors: yes
 * cc: -O1
 * misses: ^race d
 * unjudged:
 */
/* Wrong: the data are written after the sign is given */
#define LATE
#include "../flow.h"
static int flow(int v)
{
	char b[80];
	return strstr(strerror_r(v ? ENOENT : EPERM, b, sizeof b), "No such") != 0;
}
