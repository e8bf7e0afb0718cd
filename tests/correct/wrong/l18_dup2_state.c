/* norn-test
 * errors: yes
 * cc: -O1
 * finding: ^race d
 */
/* Wrong: the data are written after the sign is given */
#define LATE
#include "../hand.h"
#include <fcntl.h>
static void init(void)
{
}
static void set(void)
{
	dup2(2, 200);
}
static int seen(void)
{
	return fcntl(200, F_GETFD) >= 0;
}
