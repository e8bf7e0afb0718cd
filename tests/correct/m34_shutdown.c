/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: read sees the end after shutdown, after the data are written */
#include "hand.h"
#include <sys/socket.h>
static int s[2];
static void init(void)
{
	socketpair(AF_UNIX, SOCK_STREAM, 0, s);
}
static void set(void)
{
	shutdown(s[0], SHUT_WR);
}
static int seen(void)
{
	char c;
	return read(s[1], &c, 1) == 0;
}
