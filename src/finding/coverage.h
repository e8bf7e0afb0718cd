/* Coverage of a run: units that were built with fewer hooks than a judgement needs, and calls of code that has none at all.
 *
 * A result that does not mention them would be taken for more than it is. Each is noted in a sentence, with a remedy. */
#ifndef NORN_FINDING_COVERAGE_H
#define NORN_FINDING_COVERAGE_H

#include "base/table.h"
#include "base/vector.h"
#include "causality/dependence_graph.h"
#include "finding/finding.h"
#include "property/hook_needs.h"
#include "trace/reader.h"

/* Site tables of a program's units. */
struct norn_units {
	NORN_VECTOR(const struct norn_site_table *) tables;
};

void norn_units_done(struct norn_units *units);
void norn_units_add(struct norn_units *units, const struct norn_site_table *table); /* which must live as long */
void norn_units_of_trace(struct norn_units *units, const struct norn_trace *trace); /* all that it has */

bool norn_units_are_whole(const struct norn_units *units); /* accesses of all of them were recorded */
/* Notes that nothing is predicted because of those that are not. */
void norn_units_say_partial(const struct norn_units *units, struct norn_findings *findings);
/* Notes what the properties of this file need and units have no hooks for, if there is such. */
void norn_units_say_missing(
        const struct norn_units *units, const struct norn_needs *needs, const char *file, struct norn_findings *findings);

/* Notes that writes of what these properties name may be missing in units that the optimiser had its way with. */
void norn_units_say_loose(
        const struct norn_units *units, const struct norn_needs *needs, const char *file, struct norn_findings *findings);

/* Calls of code without hooks that may do anything: what their threads do after them is taken as it was recorded. */
struct norn_unseen_function {
	uint32_t site; /* of the first call */
	uint64_t calls;
};

struct norn_unseen {
	struct norn_table functions; /* by name; without a name by site */
	NORN_VECTOR(struct norn_unseen_function) counts; /* by number */
	uint64_t calls, before; /* events up to this number have been counted */
	bool threads; /* the run has several */
};

void norn_unseen_init(struct norn_unseen *unseen);
void norn_unseen_done(struct norn_unseen *unseen);
void norn_unseen_count(struct norn_unseen *unseen, const struct norn_graph *graph); /* those of it that were not counted yet */
/* Names them, with a place of each, if there are any and the run has several threads: in a note, or, if partial, as a reason why
 * the result is not complete. */
void norn_unseen_say(
        const struct norn_unseen *unseen, const struct norn_trace *trace, bool partial, struct norn_findings *findings);
/* An error was not judged, as what is at this site comes after all before it. */
void norn_unseen_say_barred(const struct norn_trace *trace, uint32_t site, struct norn_findings *findings);
/* Uses of a pointer that was read at one site were not judged, if it was one to what had been freed at the other. */
/* Assertions that cannot be evaluated go by what is read at this site, which may be otherwise, and at others: so many. */
void norn_say_doubted_assertion(const struct norn_trace *trace, uint32_t read, uint32_t places, struct norn_findings *findings);
void norn_say_freed_pointer(const struct norn_trace *trace, uint32_t freed, uint32_t read, struct norn_findings *findings);
/* Two jobs that one thread ran were not judged, as threads of their own: one accesses what the other does, at this site. */
void norn_unseen_say_jobs(const struct norn_trace *trace, uint32_t site, struct norn_findings *findings);

#endif
