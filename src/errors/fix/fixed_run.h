/* A recorded run with a fix in it: the run as it would have been recorded, had the program had the fix.
 *
 * Locks are put around lines, pairs of acquires change places, atomic accesses get stronger memory orders. The order of all other
 * events stays, but for this: a thread that comes to the lock of a fix while another holds it waits until it is free, and so does
 * every other that needs what it would have done by then. If a holder would have to wait, nothing can be said of the fix.
 */
#ifndef NORN_ERRORS_FIX_FIXED_RUN_H
#define NORN_ERRORS_FIX_FIXED_RUN_H

#include "errors/site_facts.h"

#define NORN_FIX_REGIONS 2u
#define NORN_FIX_NEW_LOCK 0x10u /* address of a lock that the program does not have */

/* Lines of a function. */
struct norn_fix_region {
	const char *file, *function;
	unsigned first, last;
};

struct norn_fix {
	struct norn_fix_region regions[NORN_FIX_REGIONS]; /* that the lock is held in */
	uint32_t region_count;
	uint64_t lock;
	uint32_t lock_site; /* of an acquire of it, 0: of none */
	/* Acquires at the first site and then, within, at the second change places; by_address: where the second lock has the lower
	 * address. 0: none do */
	uint32_t outer, inner;
	bool by_address;
	uint32_t store, load; /* sites of atomic accesses that release, and acquire; 0: none */
};

/* The graph of the run with the fix; NULL: no such order was found, or the run cannot be read again. graph: of the run
 * itself. */
struct norn_graph *norn_fixed_run_graph(
        struct norn_builtin_driver_sites *sites, struct norn_run *run, const struct norn_graph *graph, const struct norn_fix *fix);

#endif
