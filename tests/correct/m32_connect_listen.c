/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: connect succeeds only after listen, after the data are written */
#include "hand.h"
#include <sys/socket.h>
#include <sys/un.h>
static struct sockaddr_un u = {.sun_family = AF_UNIX, .sun_path = "sock"};
static int s;
static void init(void)
{
	s = socket(AF_UNIX, SOCK_STREAM, 0);
	if (bind(s, (struct sockaddr *)&u, sizeof u))
		abort();
}
static void set(void)
{
	listen(s, 1);
}
static int seen(void)
{
	int c = socket(AF_UNIX, SOCK_STREAM, 0);
	int ok = connect(c, (struct sockaddr *)&u, sizeof u) == 0;
	close(c);
	return ok;
}
