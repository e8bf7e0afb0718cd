/* The order that forks and joins alone make (S13), which no other schedule changes: two events that it orders are never an error
 * of both happening at once, whatever else the run is made of.
 *
 * Memory: 4 bytes for each thread and each begin or join, 64 MiB at most; where that is not enough, later begins and joins are left
 * out, and order nothing. */
#ifndef NORN_ERRORS_FORK_ORDER_H
#define NORN_ERRORS_FORK_ORDER_H

#include "causality/dependence_graph.h"

struct norn_fork_order;

struct norn_fork_order *norn_fork_order_new(const struct norn_graph *graph);
void norn_fork_order_free(struct norn_fork_order *order);

/* Does a, of another thread, always come before b is the next event of its thread? (A join is that before what it waits for.) */
bool norn_fork_order_before(const struct norn_fork_order *order, uint32_t a, uint32_t b);

#endif
