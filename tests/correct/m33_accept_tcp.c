/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: accept returns after connect, after the data are written */
#include "hand.h"
#include <netinet/in.h>
#include <sys/socket.h>
static int s;
static struct sockaddr_in a4 = {.sin_family = AF_INET};
static void init(void)
{
	socklen_t n = sizeof a4;
	a4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	s = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(s, (struct sockaddr *)&a4, n) || listen(s, 1) || getsockname(s, (struct sockaddr *)&a4, &n))
		abort();
}
static void set(void)
{
	int c = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(c, (struct sockaddr *)&a4, sizeof a4))
		abort();
}
static int seen(void)
{
	return accept(s, 0, 0) >= 0;
}
