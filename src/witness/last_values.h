/* The values that memory words hold, as far as the events so far tell. An event says all but one thing: what an indivisible
 * read-modify-write read. Accesses of up to 8 bytes tell; words that anything else has written are unknown again. */
#ifndef NORN_WITNESS_LAST_VALUES_H
#define NORN_WITNESS_LAST_VALUES_H

#include "base/map.h"
#include "trace/event.h"

struct norn_last_values {
	struct norn_map words; /* by number of the word */
};

void norn_last_values_init(struct norn_last_values *values);
void norn_last_values_done(struct norn_last_values *values);

/* The next event. True: it is a read-modify-write of up to 8 bytes, and *ret_before is the value that it read. */
bool norn_last_values_event(struct norn_last_values *values, const struct norn_event *event, uint64_t *ret_before);

#endif
