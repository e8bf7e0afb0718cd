/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: what lies in a socket is looked at, and left there */
#include "hand.h"
#include <sys/socket.h>
static int s[2];
static void init(void)
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, s))
		abort();
}
static void set(void)
{
	send(s[0], "hello", 5, MSG_NOSIGNAL);
}
static int seen(void)
{
	char b[8];
	return recv(s[1], b, sizeof b, MSG_PEEK | MSG_DONTWAIT) == 5 && !memcmp(b, "hello", 5);
}
