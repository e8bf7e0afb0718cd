/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the queue holds a message after the data are written */
#include "hand.h"
#include <fcntl.h>
#include <mqueue.h>
static mqd_t q;
static void init(void)
{
	char n[40];
	snprintf(n, sizeof n, "/norn-l75-%d", (int)getpid());
	struct mq_attr t = {.mq_maxmsg = 2, .mq_msgsize = 8};
	q = mq_open(n, O_CREAT | O_RDWR, 0600, &t);
	mq_unlink(n);
}
static void set(void)
{
	mq_send(q, "x", 1, 0);
}
static int seen(void)
{
	struct mq_attr t;
	mq_getattr(q, &t);
	return t.mq_curmsgs == 1;
}
