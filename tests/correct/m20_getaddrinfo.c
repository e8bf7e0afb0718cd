/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: each list is one thread's own, handed over under a lock, and freed by the other */
#define GUARDED
#include "hand.h"
#include <netdb.h>
#include <netinet/in.h>
static struct addrinfo *r;
static void init(void)
{
}
static void set(void)
{
	struct addrinfo h = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
	if (getaddrinfo("127.0.0.1", "80", &h, &r))
		abort();
}
static int seen(void)
{
	if (!r)
		return 0;
	int port = ntohs(((struct sockaddr_in *)r->ai_addr)->sin_port);
	freeaddrinfo(r);
	return port == 80;
}
