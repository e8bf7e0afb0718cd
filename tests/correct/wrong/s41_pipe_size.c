/* norn-test
 * errors: yes
 * cc: -O1
 * finding: ^race d
 */
/* Wrong: the data are written after the sign is given */
#define LATE
#include "../hand.h"
#include <fcntl.h>
static int f[2];
static void init(void)
{
	if (pipe(f))
		abort();
}
static void set(void)
{
	if (fcntl(f[1], F_SETPIPE_SZ, 4096) < 0)
		abort();
}
static int seen(void)
{
	return fcntl(f[0], F_GETPIPE_SZ) == 4096;
}
