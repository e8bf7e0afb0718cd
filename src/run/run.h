/* A run: its events in the order in which they were observed, from a trace (merge.h) or from RAPID's text (rapid_text.h), as often
 * as wanted.
 *
 * It owns a text that it is made of, but no trace. Names and sites are known once it has been gone through (norn_run_names). */
#ifndef NORN_RUN_RUN_H
#define NORN_RUN_RUN_H

#include "run/rapid_text.h"
#include "trace/reader.h"

struct norn_run;

struct norn_run *norn_run_of_trace(struct norn_trace *trace);
struct norn_run *norn_run_of_text(struct norn_rapid_text *text); /* takes it */
void norn_run_free(struct norn_run *run);

/* From the first event, with the patience of a merge (0: endless); before the first norn_run_next, too. */
void norn_run_begin(struct norn_run *run, unsigned patience);
/* From the next norn_run_begin on: all of it; or, of a run of which events were lost, what came before the first loss: as long as
 * every thread that lives has more records, so that nothing is missing between them. */
void norn_run_until_loss(struct norn_run *run, bool until_loss);
/* As norn_merge_next, and norn_rapid_text_next. Of a trace it ends before the first event whose place among others is not known
 * (two_addresses.h). */
int norn_run_next(struct norn_run *run, struct norn_event *ret_event, struct norn_error *err);
bool norn_run_unplaced(const struct norn_run *run); /* it did */

/* All events that are wanted were given: gives back the memory that only going on takes. It can begin again. */
void norn_run_rest(struct norn_run *run);

struct norn_trace *norn_run_recorded(const struct norn_run *run); /* NULL: it is a text */
const struct norn_rapid_text *norn_run_text(
        const struct norn_run *run); /* NULL: it is a trace, be it one that was converted from a text */
/* A trace that has the names and sites of all that was gone through so far; the run's own. wanted: of a text, as norn_rapid_tables
 * has it. */
int norn_run_names(struct norn_run *run, const uint64_t *wanted, struct norn_trace **ret_trace, struct norn_error *err);
uint32_t norn_run_threads(const struct norn_run *run); /* so far */

/* About how many events there are; not many less than there really are. */
uint64_t norn_run_estimate(const struct norn_run *run);
/* The part of it that has been read, of 1. */
double norn_run_progress(const struct norn_run *run);

#endif
