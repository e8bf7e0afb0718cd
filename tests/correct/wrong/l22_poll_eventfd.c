/* norn-test
 * errors: yes
 * cc: -O1
 * finding: ^race d
 */
/* Wrong: the data are written after the sign is given */
#define LATE
#include "../hand.h"
#include <poll.h>
#include <sys/eventfd.h>
static int e;
static void init(void)
{
	e = eventfd(0, 0);
}
static void set(void)
{
	eventfd_write(e, 1);
}
static int seen(void)
{
	struct pollfd q = {.fd = e, .events = POLLIN};
	return poll(&q, 1, 5) == 1 && (q.revents & POLLIN);
}
