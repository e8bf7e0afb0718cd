/* Cells: what the words of memory hold, as far as the events so far tell. For the one thing that an event does not say: what an
 * indivisible read-modify-write found. Accesses of up to 8 bytes tell; words that anything else has written are unknown again. */
#ifndef NORN_WITNESS_LAST_VALUES_H
#define NORN_WITNESS_LAST_VALUES_H

#include "base/map.h"
#include "trace/event.h"

struct norn_last_values {
	struct norn_map words; /* by number of the word */
};

void norn_last_values_init(struct norn_last_values *cells);
void norn_last_values_done(struct norn_last_values *cells);

/* The next event. Of an rmw of up to 8 bytes, *ret_before is what it found, if that is known: then 1. Else 0, or -ENOMEM. */
int norn_last_values_event(struct norn_last_values *cells, const struct norn_event *event, uint64_t *ret_before);

#endif
