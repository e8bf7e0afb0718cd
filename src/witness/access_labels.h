/* The labels of bytes that mvc_witness.h speaks of: for each byte that of its accesses (any) and that of its writes.
 *
 * Labels only grow, because a write comes after all accesses before it. So where a whole page is accessed at once, one label for
 * the page will do besides those of single bytes: the larger of both holds. And what a whole page meets is the largest label in
 * it. */
#ifndef NORN_WITNESS_ACCESS_LABELS_H
#define NORN_WITNESS_ACCESS_LABELS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"

struct norn_access_labels {
	struct norn_map words, pages;
};

void norn_access_labels_init(struct norn_access_labels *labels);
void norn_access_labels_done(struct norn_access_labels *labels);

/* The largest label among the bytes' writes or, if it writes, accesses. */
uint32_t norn_access_labels_meet(const struct norn_access_labels *labels, uint64_t address, uint64_t size, bool writes);
/* The bytes were accessed by an event with this label. */
void norn_access_labels_leave(struct norn_access_labels *labels, uint64_t address, uint64_t size, bool writes, uint32_t label);

#endif
