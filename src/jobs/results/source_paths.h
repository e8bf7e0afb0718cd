/* The source files that findings name, where they are now: names are relative to the directory that their unit was compiled in. */
#ifndef NORN_JOBS_RESULTS_SOURCE_PATHS_H
#define NORN_JOBS_RESULTS_SOURCE_PATHS_H

#include "finding/finding.h"
#include "jobs/checker.h"

/* Notes the path of each file (norn_findings_path) that is found in one place; one that may be several is left as it is named. */
void norn_source_paths_find(const struct norn_checking *checking, const struct norn_trace *trace, struct norn_findings *findings);

#endif
