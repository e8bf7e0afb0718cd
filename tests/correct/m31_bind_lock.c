/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: an abstract address can be bound by one socket at a time */
#include "lock.h"
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
static struct sockaddr_un u = {.sun_family = AF_UNIX};
static int s[2];
static void init(void)
{
	snprintf(u.sun_path + 1, 60, "norn-m31-%d", (int)getpid());
}
static void lk(int i)
{
	s[i] = socket(AF_UNIX, SOCK_DGRAM, 0);
	while (bind(s[i], (struct sockaddr *)&u, sizeof u))
		usleep(30);
}
static void ul(int i)
{
	close(s[i]);
}
