/* norn-test
 * errors: yes
 * cc: -O1
 * finding: ^race d
 */
/* Wrong: the data are written after the sign is given */
#define LATE
#include "../hand.h"
#include <sys/epoll.h>
#include <sys/eventfd.h>
static struct job {
	int fd, n;
} *job;
static int ep;
static void init(void)
{
	ep = epoll_create1(0);
	job = malloc(sizeof *job);
	job->fd = eventfd(0, 0);
	epoll_ctl(ep, EPOLL_CTL_ADD, job->fd, &(struct epoll_event){.events = EPOLLIN, .data.ptr = job});
}
static void set(void)
{
	job->n = 17;
	eventfd_write(job->fd, 1);
}
static int seen(void)
{
	struct epoll_event e;
	if (epoll_wait(ep, &e, 1, -1) != 1)
		return 0;
	struct job *j = e.data.ptr;
	if (j->n != 17)
		abort();
	close(j->fd);
	free(j);
	return 1;
}
