#include "observer/peer.h"

#include <assert.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

static void set(struct norn_peer *peer, sa_family_t family, const void *bytes, size_t length)
{
	assert(length + sizeof family <= sizeof peer->bytes);
	memcpy(peer->bytes, &family, sizeof family);
	memcpy(peer->bytes + sizeof family, bytes, length);
}

/* A machine has 2^64 addresses. */
static void set_inet6(struct norn_peer *peer, const struct in6_addr *address)
{
	if (IN6_IS_ADDR_V4MAPPED(address))
		set(peer, AF_INET, address->s6_addr + 12, sizeof(struct in_addr));
	else
		set(peer, AF_INET6, address, sizeof *address / 2);
}

void norn_peer_of(int fd, struct norn_peer *ret_peer)
{
	struct sockaddr_storage name = {.ss_family = AF_UNSPEC};
	socklen_t length = sizeof name;
	*ret_peer = (struct norn_peer){{0}};
	if (getpeername(fd, (struct sockaddr *)&name, &length) != 0)
		return;
	if (name.ss_family == AF_INET)
		set(ret_peer, AF_INET, &((const struct sockaddr_in *)(const void *)&name)->sin_addr, sizeof(struct in_addr));
	if (name.ss_family == AF_INET6)
		set_inet6(ret_peer, &((const struct sockaddr_in6 *)(const void *)&name)->sin6_addr);
	struct ucred process = {0};
	length = sizeof process;
	if (name.ss_family == AF_UNIX && getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &process, &length) == 0)
		set(ret_peer, AF_UNIX, &process.pid, sizeof process.pid);
}

bool norn_peer_is_same(const struct norn_peer *a, const struct norn_peer *b)
{
	return memcmp(a, b, sizeof *a) == 0;
}
