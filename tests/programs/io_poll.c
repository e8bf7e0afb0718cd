/* norn-test
 * cc: -g -O1 -pthread
 * cc: -g -O1 -pthread -D_FORTIFY_SOURCE=2
 * prop: io_order.prop
 * no-finding: yes
 */
/* Turns through pipes that are only waited for, by each call that waits; nothing is ever read from them: a round has its own. */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <unistd.h>

enum { WAYS = 6 };
int ping, pong;
static int there[WAYS][2], back[WAYS][2], epolls[2][WAYS];

/* Numbers of descriptors are given out before: whoever takes one comes after those that did so before. */
static int watch(int fd)
{
	struct epoll_event event = {.events = EPOLLIN};
	int epoll = epoll_create1(0);
	return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0 ? epoll : -1;
}

static int await(int fd, int epoll, int way)
{
	struct pollfd wanted = {.fd = fd, .events = POLLIN};
	struct epoll_event event = {.events = EPOLLIN};
	fd_set set;
	FD_ZERO(&set);
	FD_SET(fd, &set);
	int result;
	switch (way) {
	case 0:
		result = poll(&wanted, 1, -1);
		break;
	case 1:
		result = ppoll(&wanted, 1, NULL, NULL);
		break;
	case 2:
		result = select(fd + 1, &set, NULL, NULL, NULL);
		break;
	case 3:
		result = pselect(fd + 1, &set, NULL, NULL, NULL, NULL);
		break;
	case 4:
		result = epoll_wait(epoll, &event, 1, -1);
		break;
	default:
		result = epoll_pwait(epoll, &event, 1, -1, NULL);
	}
	return result != 1;
}

static void *serve(void *unused)
{
	for (int i = 0; i < WAYS; i++) {
		if (await(there[i][0], epolls[0][i], i))
			return &ping;
		pong = i + 1;
		if (write(back[i][1], "o", 1) != 1)
			return &ping;
	}
	return unused;
}

int main(void)
{
	pthread_t t;
	void *failed;
	for (int i = 0; i < WAYS; i++)
		if (pipe(there[i]) || pipe(back[i]) || (epolls[0][i] = watch(there[i][0])) < 0 ||
		        (epolls[1][i] = watch(back[i][0])) < 0)
			return 1;
	pthread_create(&t, NULL, serve, NULL);
	for (int i = 0; i < WAYS; i++) {
#ifdef BAD
		if (write(there[i][1], "o", 1) != 1)
			return 1;
		ping = i + 1;
#else
		ping = i + 1;
		/* The end of the pipe is news, too. */
		if (i % 2 ? close(there[i][1]) : write(there[i][1], "o", 1) != 1)
			return 1;
#endif
		if (await(back[i][0], epolls[1][i], i))
			return 1;
	}
	pthread_join(t, &failed);
	return failed != NULL;
}
