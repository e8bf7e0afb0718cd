/* What cannot be seen of a run: units that were built with fewer hooks than a judgment needs, and calls of code that has none at all.
 *
 * A result that is silent about what it could not see would be taken for more than it is. So these are said in a sentence each, with what can be done about it. */
#ifndef NORN_FINDING_COVERAGE_H
#define NORN_FINDING_COVERAGE_H

#include "base/map.h"
#include "causality/dependence_graph.h"
#include "finding/finding.h"
#include "property/hook_needs.h"
#include "trace/reader.h"

/* Site tables of a program's units. */
struct norn_units {
	const struct norn_site_table **tables;
	uint32_t count, room;
};

void norn_units_done(struct norn_units *units);
int norn_units_add(struct norn_units *units, const struct norn_site_table *table); /* which must live as long; 0 or -ENOMEM */
int norn_units_of_trace(struct norn_units *units, const struct norn_trace *trace); /* all that it has; 0 or -ENOMEM */

bool norn_units_are_whole(const struct norn_units *units); /* accesses of all of them were recorded */
/* Notes that nothing is predicted because of those that are not. 0 or -ENOMEM. */
int norn_units_say_partial(const struct norn_units *units, struct norn_findings *findings);
/* Notes what the properties of this file need and units have no hooks for, if there is such. 0 or -ENOMEM. */
int norn_units_say_missing(
        const struct norn_units *units, const struct norn_needs *needs, const char *file, struct norn_findings *findings);

/* Calls of code without hooks that may do anything: what their threads do after them is taken as it was recorded. */
struct norn_unseen {
	struct norn_map functions; /* hash of a name → struct unseen */
	uint64_t calls, before; /* events up to this number have been counted */
	bool threads; /* the run has several */
};

void norn_unseen_init(struct norn_unseen *unseen);
void norn_unseen_done(struct norn_unseen *unseen);
int norn_unseen_count(struct norn_unseen *unseen, const struct norn_graph *graph); /* those of it that were not yet; 0 or -ENOMEM */
/* Notes them, if there are any and it matters: by name, with a place of each. 0 or -ENOMEM. */
int norn_unseen_say(const struct norn_unseen *unseen, const struct norn_trace *trace, struct norn_findings *findings);

#endif
