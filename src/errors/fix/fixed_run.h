/* A recorded run with a fix in it: the run as it would have been recorded, had the program had the fix.
 *
 * Locks are put around lines, lines wait for others, a variable is read again, pairs of acquires change places, atomic accesses get
 * stronger memory orders. The order of all other events stays, but for this: a thread that comes to the lock of a fix while another
 * holds it waits until it is free, and so does every other that needs what it would have done by then. If a holder would have to
 * wait, nothing can be said of the fix; nor if who puts a lock around these lines as they are would take it twice.
 */
#ifndef NORN_ERRORS_FIX_FIXED_RUN_H
#define NORN_ERRORS_FIX_FIXED_RUN_H

#include <string.h>

#include "errors/site_facts.h"
#include "finding/own_place.h"

#define NORN_FIX_REGIONS 2u
#define NORN_FIX_NEW_LOCK 0x10u /* address of a lock that the program does not have */
#define NORN_FIX_NEW_SEMAPHORE 0x50u /* and of a semaphore */

/* Lines of a function. */
struct norn_fix_region {
	const char *file, *function;
	unsigned first, last;
};

static inline bool norn_fix_is_in(const struct norn_fix_region *region, const struct norn_own_place *place)
{
	return place->line >= region->first && place->line <= region->last && strcmp(place->function, region->function) == 0 &&
	       strcmp(place->file, region->file) == 0;
}

struct norn_fix {
	struct norn_fix_region regions[NORN_FIX_REGIONS]; /* that the lock is held in */
	uint32_t region_count;
	uint64_t lock;
	uint32_t lock_site; /* of an acquire of it, 0: of none */
	bool waits; /* no lock: the second region waits until the first has been gone through, once, by a new semaphore */
	/* Sites of a read, and of an acquire later in the same call: what was read is read once more then. 0: nothing is */
	uint32_t read, again;
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
