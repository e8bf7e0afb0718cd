/* Fixes that are checked: a fix of a finding is put into the recorded run (fixed_run.h), and errors are looked for there again. It
 * is proposed only if the finding is gone, and no deadlock can be predicted that was not there before. */
#ifndef NORN_ERRORS_FIX_CHECKED_FIX_H
#define NORN_ERRORS_FIX_CHECKED_FIX_H

#include "errors/fix/fixed_run.h"
#include "finding/finding.h"

/* graph: of the whole run. indices: which finding each prediction became. Gives findings their fixes, and says how many were
 * tried. */
void norn_checked_fixes_find(struct norn_builtin_driver_sites *sites, struct norn_run *run, const struct norn_graph *graph,
        const struct norn_builtin_options *options, const struct norn_predictions *predictions, const uint32_t *indices,
        struct norn_findings *findings);

#endif
