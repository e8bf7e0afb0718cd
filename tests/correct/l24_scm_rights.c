/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the descriptor arrives after the data are written */
#include "hand.h"
#include <sys/socket.h>
static int s[2];
static void init(void)
{
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, s))
		abort();
}
static void set(void)
{
	char b = 1, c[CMSG_SPACE(sizeof(int))] = {0};
	struct iovec v = {&b, 1};
	struct msghdr h = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = c, .msg_controllen = sizeof c};
	struct cmsghdr *g = CMSG_FIRSTHDR(&h);
	g->cmsg_level = SOL_SOCKET;
	g->cmsg_type = SCM_RIGHTS;
	g->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(g), &(int){2}, sizeof(int));
	if (sendmsg(s[0], &h, 0) != 1)
		abort();
}
static int seen(void)
{
	char b = 0, c[CMSG_SPACE(sizeof(int))];
	struct iovec v = {&b, 1};
	struct msghdr h = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = c, .msg_controllen = sizeof c};
	if (recvmsg(s[1], &h, 0) != 1)
		abort();
	struct cmsghdr *g = CMSG_FIRSTHDR(&h);
	int n;
	memcpy(&n, CMSG_DATA(g), sizeof n);
	close(n);
	return b == 1;
}
