/* Memory that has two addresses: pages that are mapped twice.
 *
 * The order of accesses is known by the versions of words, and each address has its own: how accesses by the one lie to those by
 * the other is not known. So the order of a run is known up to the first access to shared mappings after some page has two
 * addresses, if more than one of these mappings, and more than one thread, come into it. */
#ifndef NORN_RUN_TWO_ADDRESSES_H
#define NORN_RUN_TWO_ADDRESSES_H

#include <stdbool.h>

#include "base/vector.h"
#include "trace/event.h"

struct norn_shared_range {
	uint64_t addr, end;
};

struct norn_two_addresses {
	NORN_VECTOR(struct norn_shared_range) shared; /* mappings */
	bool any; /* a page has two addresses */
	bool many_mappings, many_threads; /* were used */
	uint64_t mapping; /* the first that was used, 0: none */
	uint32_t thread; /* by this one */
};

/* The next event. False: its place among those of other threads is not known, nor that of what follows. */
bool norn_two_addresses_step(struct norn_two_addresses *two, const struct norn_event *e);
void norn_two_addresses_done(struct norn_two_addresses *two);

#endif
