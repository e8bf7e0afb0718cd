/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the descriptor is armed after the data are written */
#include "hand.h"
#include <sys/epoll.h>
#include <sys/eventfd.h>
static int ep, e;
static void init(void)
{
	ep = epoll_create1(0);
	e = eventfd(1, 0);
	epoll_ctl(ep, EPOLL_CTL_ADD, e, &(struct epoll_event){.events = 0});
}
static void set(void)
{
	epoll_ctl(ep, EPOLL_CTL_MOD, e, &(struct epoll_event){.events = EPOLLIN});
}
static int seen(void)
{
	struct epoll_event v;
	return epoll_wait(ep, &v, 1, 0) == 1;
}
