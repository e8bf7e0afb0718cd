/* Lines that a fix is about: where events that belong together come about, in the innermost function that has all of them, be it by
 * calls. */
#ifndef NORN_ERRORS_FIX_REGIONS_H
#define NORN_ERRORS_FIX_REGIONS_H

#include "errors/fix/fixed_run.h"
#include "finding/finding.h"

#define NORN_FIX_LINES 12u /* of a region; more are not guarded as one */
#define NORN_FIX_EVENTS 8u /* of a region */

struct norn_fix_run {
	const struct norn_trace *trace;
	const struct norn_graph *graph;
	struct norn_findings *findings; /* that texts are for */
};

/* The lines of these events of one thread, 0 among them are none. False: there is no such function, or it is not known. */
bool norn_fix_region_of(const struct norn_fix_run *run, const uint32_t *events, uint32_t count, struct norn_fix_region *ret_region);
/* Lines of one function become one region, with what lies between them. How many are left. */
uint32_t norn_fix_regions_join(struct norn_fix_region regions[2]);
/* "x.c:12 to 14 (f)" */
const char *norn_fix_region_text(const struct norn_fix_run *run, const struct norn_fix_region *region);
/* "x.c:12", in the program's own code */
const char *norn_fix_place_text(const struct norn_fix_run *run, uint32_t event);
/* The lowest line of the region, but the last one, at which this lock is given up; 0: none. */
unsigned norn_fix_gives_up(const struct norn_fix_run *run, const struct norn_fix_region *region, uint64_t lock);

#endif
