/* norn-test
 * errors: yes
 * cc: -O1
 * finding: ^race d
 */
/* Wrong: the data are written after the sign is given */
#define LATE
#include "../hand.h"
#include <fcntl.h>
#include <mqueue.h>
static mqd_t q;
static void init(void)
{
	char n[40];
	snprintf(n, sizeof n, "/norn-l74-%d", (int)getpid());
	struct mq_attr t = {.mq_maxmsg = 2, .mq_msgsize = sizeof(void *)};
	q = mq_open(n, O_CREAT | O_RDWR, 0600, &t);
	if (q == (mqd_t)-1) {
		perror("mq_open");
		exit(1);
	}
	mq_unlink(n);
}
static void set(void)
{
	int *j = malloc(sizeof *j);
	*j = 6;
	mq_send(q, (char *)&j, sizeof j, 0);
}
static int seen(void)
{
	int *j;
	if (mq_receive(q, (char *)&j, sizeof j, 0) != sizeof j)
		return 0;
	int n = *j;
	free(j);
	return n == 6;
}
