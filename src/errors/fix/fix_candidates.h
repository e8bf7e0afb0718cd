/* Candidates: fixes of a finding that are worth a try.
 *
 * A lock that guards one side, or a new one, is held at both, or throughout; what was read before it was taken is read again; what
 * must come later waits; acquires change places; atomic accesses get the order that is missing. */
#ifndef NORN_ERRORS_FIX_CANDIDATES_H
#define NORN_ERRORS_FIX_CANDIDATES_H

#include "errors/fix/fix_regions.h"

#define NORN_FIX_CANDIDATES 12u /* of a finding; no more */

struct norn_fix_candidate {
	struct norn_fix fix;
	const char *text; /* an imperative sentence without its end */
};

struct norn_fix_candidates {
	struct norn_fix_candidate list[NORN_FIX_CANDIDATES];
	uint32_t count;
};

/* The best first. */
void norn_fix_candidates_find(const struct norn_fix_run *run, const struct norn_predicted *predicted,
        const struct norn_finding *finding, struct norn_fix_candidates *ret_candidates);

#endif
