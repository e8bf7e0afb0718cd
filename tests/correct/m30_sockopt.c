/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the option is set after the data are written */
#include "hand.h"
#include <sys/socket.h>
static int s;
static void init(void)
{
	s = socket(AF_INET, SOCK_STREAM, 0);
}
static void set(void)
{
	setsockopt(s, SOL_SOCKET, SO_KEEPALIVE, &(int){1}, sizeof(int));
}
static int seen(void)
{
	int v = 0;
	socklen_t n = sizeof v;
	getsockopt(s, SOL_SOCKET, SO_KEEPALIVE, &v, &n);
	return v == 1;
}
