/* Cells: what the words of memory hold, as far as the events so far tell. For the one thing that an event does not say: what an indivisible
 * read-modify-write found. Accesses of up to 8 bytes tell; words that anything else has written are unknown again. */
#ifndef NORN_PREDICT_CELLS_H
#define NORN_PREDICT_CELLS_H

#include "base/map.h"
#include "trace/event.h"

struct norn_cells {
	struct norn_map words; /* by number of the word */
};

void norn_cells_init(struct norn_cells *cells);
void norn_cells_done(struct norn_cells *cells);

/* The next event. Of an rmw of up to 8 bytes, *ret_before is what it found, if that is known: then 1. Else 0, or -ENOMEM. */
int norn_cells_event(struct norn_cells *cells, const struct norn_event *event, uint64_t *ret_before);

#endif
