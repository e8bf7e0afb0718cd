/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: a message goes into two buffers; what it does not fill is another thread's */
#include "correct.h"
#include <sys/socket.h>
#include <sys/uio.h>
static char one[8], two[64];
static int f[2], d;
T(giver)
{
	struct iovec v[2] = {{"abcd", 4}, {"efghijkl", 8}};
	struct msghdr m = {.msg_iov = v, .msg_iovlen = 2};
	J();
	d = 7;
	if (sendmsg(f[0], &m, 0) != 12)
		abort();
	for (int i = 8; i < 64; i++)
		two[i] = 'x';
	return a;
}
T(taker)
{
	struct iovec v[2] = {{one, 8}, {two, 64}};
	struct msghdr m = {.msg_iov = v, .msg_iovlen = 2};
	if (recvmsg(f[1], &m, 0) != 12 || two[3] != 'l')
		abort();
	d++;
	return a;
}
int main(void)
{
	pthread_t x, y;
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, f))
		abort();
	GO(x, giver, 0);
	GO(y, taker, 0);
	WAIT(x);
	WAIT(y);
	printf("%d\n", d);
	return d != 8;
}
