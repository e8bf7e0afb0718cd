/* norn-test
 * errors: yes
 * cc: -O1
 * finding: ^race d
 */
/* Wrong: the data are written after the sign is given */
#define LATE
#include "../hand.h"
#include <signal.h>
static void h(int s)
{
	(void)s;
}
static void init(void)
{
}
static void set(void)
{
	sigaction(SIGUSR1, &(struct sigaction){.sa_handler = h}, 0);
}
static int seen(void)
{
	struct sigaction o;
	sigaction(SIGUSR1, 0, &o);
	return o.sa_handler == h;
}
