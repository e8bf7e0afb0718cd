/* The suppressions, and messages about them: norn.supp here and beside the trace, or the files that were named. */
#ifndef NORN_JOBS_SUPPRESSIONS_H
#define NORN_JOBS_SUPPRESSIONS_H

#include "finding/suppress.h"

/* Reads the files, count of them; if there is none, those that are found. trace may be NULL. Says what is wrong with them; returns
 * the exit status. */
int norn_suppressions_find(const char *const *files, unsigned count, const char *trace, struct norn_suppressions *ret_suppressions);

/* Takes out what is suppressed; says how much that was, and which suppressions matched nothing. */
void norn_suppressions_apply(struct norn_suppressions *suppressions, struct norn_findings *findings);

#endif
