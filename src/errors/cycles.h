/* Cycles of transactions (V10): blocks that are meant to be atomic, and accesses of other threads that cannot all come before such
 * a block, nor all after it:
 *
 *   one foreign thread     the block's a1 comes before f1, and f2 before the block's a2; f1 comes before f2 in its thread, or both
 *                          are in one block, in any order
 *   two foreign threads    a1 before f1 of the one, which later, or in the same block, does g before h of the other; that one does
 *                          f2 later, or in the same block, and f2 comes before a2
 *
 * Triples (f1 and f2 are one access of the same memory) are found by atomicity.h, which calls this with every pair of conflicting
 * accesses that it compares, one of them in a block: an *edge* of the block. Edges of one block are combined with each other, so
 * the work is that of comparing, times the edges of a block, of which no more than EDGES are kept. There is one prediction for each
 * block and pair of foreign places (or foreign block), by code positions; what breaks a block as a triple is not shown again.
 *
 * Bounded, and counted where that may matter: edges of a block; how often two places may meet before only some blocks are looked
 * at; attempts for each set of places.
 *
 * Memory: 24 bytes for each edge. */
#ifndef NORN_ERRORS_CYCLES_H
#define NORN_ERRORS_CYCLES_H

#include "sliced/attempts.h"

struct norn_cycles;

struct norn_cycles *norn_cycles_new(const struct norn_graph *graph, const struct norn_builtin_options *options);
void norn_cycles_free(struct norn_cycles *cycles);

/* Before the first edge: the next access in the block that begins with this event. */
void norn_cycles_access(struct norn_cycles *cycles, uint32_t begin, uint32_t access);
/* An access in the block that begins with this event, and a conflicting one of another thread, in a block of its own or not (0). */
void norn_cycles_edge(struct norn_cycles *cycles, uint32_t begin, uint32_t own, uint32_t foreign, uint32_t foreign_begin);
/* The block at the place of begin is broken by an access at the place of foreign. */
void norn_cycles_broken(struct norn_cycles *cycles, uint32_t begin, uint32_t foreign, uint32_t foreign_begin);
void norn_cycles_try(struct norn_cycles *cycles, struct norn_attempt_runner *attempt_runner);

#endif
