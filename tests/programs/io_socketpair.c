/* norn-test
 * cc: -g -O1 -pthread
 * cc: -g -O2 -pthread -D_FORTIFY_SOURCE=2
 * prop: io_order.prop
 * no-finding: yes
 */
/* Turns through a socket, by each pair of calls that there is for it. */
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WAYS = 4 };
int ping, pong;
static int ends[2];

static int put(int fd, int way)
{
	char ball = 'o';
	struct iovec piece = {&ball, 1};
	struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
	switch (way) {
	case 0:
		return send(fd, &ball, 1, 0) != 1;
	case 1:
		return sendto(fd, &ball, 1, 0, NULL, 0) != 1;
	case 2:
		return sendmsg(fd, &message, 0) != 1;
	default:
		return writev(fd, &piece, 1) != 1;
	}
}

static int get(int fd, int way, int most)
{
	char ball[16];
	struct iovec piece = {ball, 1};
	struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
	switch (way) {
	case 0:
		return recv(fd, ball, (size_t)most, 0) != 1;
	case 1:
		return recvfrom(fd, ball, (size_t)most, 0, NULL, NULL) != 1;
	case 2:
		return recvmsg(fd, &message, 0) != 1;
	default:
		return readv(fd, &piece, 1) != 1;
	}
}

static void *serve(void *unused)
{
	for (int i = 1; i <= 2 * WAYS; i++) {
		if (get(ends[1], i % WAYS, 1))
			return &ping;
		pong = i;
		if (put(ends[1], i % WAYS))
			return &ping;
	}
	char end;
	return read(ends[1], &end, 1) == 0 ? unused : &ping;
}

int main(int argc, char **argv)
{
	pthread_t t;
	void *failed;
	(void)argv;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return 1;
	pthread_create(&t, NULL, serve, NULL);
	for (int i = 1; i <= 2 * WAYS; i++) {
#ifndef BAD
		ping = i;
#endif
		if (put(ends[0], i % WAYS) || get(ends[0], i % WAYS, argc))
			return 1;
		ping = i;
	}
	if (shutdown(ends[0], SHUT_WR))
		return 1;
	pthread_join(t, &failed);
	return failed != NULL;
}
