/* A peer: who is at the other end of a connection, as the kernel says. A process behind a unix socket, a machine behind TCP; all
 * who come through a tunnel are one peer. */
#ifndef NORN_OBSERVER_PEER_H
#define NORN_OBSERVER_PEER_H

#include <stdbool.h>
#include <stdint.h>

struct norn_peer {
	uint8_t bytes[10]; /* the family, and its address: of IPv6 the first half */
};

void norn_peer_of(int fd, struct norn_peer *ret_peer);
bool norn_peer_is_same(const struct norn_peer *a, const struct norn_peer *b);

#endif
