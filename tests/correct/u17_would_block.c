/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: a pipe that does not wait says by errno that nothing is there yet */
#define _GNU_SOURCE
#include "hand.h"
#include <fcntl.h>
#include <poll.h>
static int f[2];
static void init(void)
{
	if (pipe2(f, O_NONBLOCK))
		abort();
}
static void set(void)
{
	write(f[1], "", 1);
}
static int seen(void)
{
	char c;
	errno = 0;
	ssize_t n = read(f[0], &c, 1);
	return !(n < 0 && (errno == EAGAIN || errno == EINTR));
}
