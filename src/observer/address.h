/* The address on which an observer listens: unix:PATH or tcp:HOST:PORT. */
#ifndef NORN_OBSERVER_ADDRESS_H
#define NORN_OBSERVER_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct norn_address {
	char text[300]; /* as a program needs it: with the port that was found */
	char path[108]; /* of the socket file, "" if there is none */
};

/* A non-blocking socket that listens: its descriptor, or -errno and a sentence. A socket file has mode 0600; one without a listener
 * is replaced. anywhere: also beyond loopback. */
int norn_address_listen(const char *where, bool anywhere, struct norn_address *ret_address, struct norn_error *err);
void norn_address_remove(const struct norn_address *address); /* the socket file, if there is one */

#endif
