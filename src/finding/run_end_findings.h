/* Findings by how the run ended: a crash, an assertion that failed, threads that wait for each other for ever.
 *
 * All of them were observed. A run that ended by itself, or was ended on purpose, and in which no thread is stuck, gives none. */
#ifndef NORN_FINDING_RUN_END_FINDINGS_H
#define NORN_FINDING_RUN_END_FINDINGS_H

#include "finding/finding.h"
#include "run/run_end.h"

/* The source position of an instruction, by its address in the run: 0; negative errno if that is not known.
 * Texts hold until the next call. returns: it is where a call returns to. */
struct norn_place_finder {
	int (*find)(void *context, uint64_t address, bool returns, const char **ret_file, unsigned *ret_line,
	        const char **ret_function);
	void *context;
};

/* Adds to findings; finder may be NULL. 0; negative errno and a sentence if the trace is damaged. */
int norn_run_end_findings(struct norn_trace *trace, const struct norn_run_end *end, const struct norn_place_finder *finder,
        struct norn_findings *findings, struct norn_error *err);

#endif
