/* norn-test
 * silent: -DPIPE
 * silent: -DSOCKET
 * silent: -DEVENT
 */
/* Ownership by message passing through the kernel: a byte says that the buffer is filled. */
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "crew.h"

static int ends[2];
static int buffer[4], sum;

static void *work(void *argument)
{
	uint64_t word = 1;
	size_t bytes = sizeof word;
	if (number_of(argument) == 0) {
		for (int i = 0; i < 4; i++)
			buffer[i] = i;
		if (write(ends[1], &word, bytes) != (ssize_t)bytes)
			abort();
	} else {
		if (read(ends[0], &word, bytes) != (ssize_t)bytes)
			abort();
		for (int i = 0; i < 4; i++)
			sum += buffer[i];
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
	crew(2, work);
	return sum == 6 ? 0 : 1;
}
