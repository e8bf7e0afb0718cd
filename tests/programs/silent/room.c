/* norn-test
 * silent: -DPIPE
 * silent: -DSOCKET
 * silent: -DEVENT
 */
/* A write that waits for room: what the reader has done before is done when the write returns. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "crew.h"

static int ends[2], shared;
#ifndef EVENT
static char bytes[4096];
#endif

static void fill(void)
{
#if defined(EVENT)
	if (eventfd_write(ends[1], UINT64_MAX - 1) != 0)
		abort();
#else
	fcntl(ends[1], F_SETFL, O_NONBLOCK);
	while (write(ends[1], bytes, sizeof bytes) > 0)
		;
	while (write(ends[1], bytes, 1) > 0)
		;
	fcntl(ends[1], F_SETFL, 0);
#endif
}

static void make_room(void)
{
#if defined(EVENT)
	eventfd_t value;
	if (eventfd_read(ends[0], &value) != 0)
		abort();
#elif defined(SOCKET)
	while (recv(ends[0], bytes, sizeof bytes, MSG_DONTWAIT) > 0)
		;
#else
	for (int i = 0; i < 4; i++)
		if (read(ends[0], bytes, sizeof bytes) <= 0)
			abort();
#endif
}

static void *work(void *argument)
{
	uint64_t one = 1;
	if (number_of(argument) == 0) {
		if (write(ends[1], &one, sizeof one) != sizeof one)
			abort();
		shared++;
	} else {
		usleep(3000);
		shared = 4;
		make_room();
	}
	return NULL;
}

int main(void)
{
#if defined(SOCKET)
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
		return 1;
#elif defined(EVENT)
	ends[0] = ends[1] = eventfd(0, 0);
#else
	if (pipe(ends) != 0)
		return 1;
#endif
	fill();
	crew(2, work);
	return shared == 5 ? 0 : 1;
}
