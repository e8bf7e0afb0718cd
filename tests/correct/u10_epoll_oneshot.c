/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: with EPOLLONESHOT one thread at a time has a connection, until it arms it again; its state has no other guard */
#include "correct.h"
#include <sys/epoll.h>
static int ep, quit[2];
static struct conn {
	int f[2], bytes, sum;
} conn[2];
static void arm(struct conn *c, int how)
{
	struct epoll_event e = {.events = EPOLLIN | EPOLLONESHOT, .data.ptr = c};
	if (epoll_ctl(ep, how, c->f[0], &e))
		abort();
}
T(worker)
{
	struct epoll_event e;
	for (;;) {
		int n = epoll_wait(ep, &e, 1, -1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n != 1)
			abort();
		struct conn *c = e.data.ptr;
		if (!c)
			return a;
		unsigned char b;
		if (read(c->f[0], &b, 1) == 1) {
			c->bytes++;
			c->sum += b;
		}
		if (c->bytes == 6) {
			write(quit[1], "q", 1);
			continue;
		}
		arm(c, EPOLL_CTL_MOD);
	}
}
int main(void)
{
	pthread_t x, y;
	struct epoll_event e = {.events = EPOLLIN};
	ep = epoll_create1(0);
	if (pipe(quit))
		return 2;
	for (int i = 0; i < 2; i++) {
		if (pipe(conn[i].f))
			return 2;
		arm(&conn[i], EPOLL_CTL_ADD);
	}
	GO(x, worker, 0);
	GO(y, worker, 0);
	for (int k = 0; k < 6; k++)
		for (int i = 0; i < 2; i++)
			write(conn[i].f[1], "\1", 1);
	char b;
	read(quit[0], &b, 1);
	read(quit[0], &b, 1);
	int sum = conn[0].sum + conn[1].sum;
	write(quit[1], "q", 1);
	epoll_ctl(ep, EPOLL_CTL_ADD, quit[0], &e);
	WAIT(x);
	WAIT(y);
	printf("%d\n", sum);
	return sum != 12;
}
