/* The facts about the sites of a run, for its dependence graph (dependence_graph.h): from its trace, from a text, and from models
 * of functions without hooks. */
#ifndef NORN_ERRORS_SITE_FACTS_H
#define NORN_ERRORS_SITE_FACTS_H

#include "base/map.h"
#include "causality/rules.h"
#include "errors/builtin_search.h"
#include "finding/coverage.h"
#include "run/run.h"

struct norn_builtin_driver_options;

struct norn_builtin_driver_sites {
	const struct norn_trace *trace; /* NULL: it is a text */
	const struct norn_rapid_text *text;
	const struct norn_builtin_driver_options *options;
	bool whole; /* the graph is that of the whole run */
	bool imported; /* RAPID's text, or converted from it: acquires are named after their lock, and wait */
	const struct norn_rule *inexact; /* that a search met, which orders more than the law asks; NULL: none */
	uint64_t searches; /* for other orders of regions (schedule_search.h) */
	uint64_t limits[NORN_BUILTIN_LIMITS];
	uint32_t barred; /* norn_builtin_stats */
	struct norn_freed_pointer freed_pointer; /* the same */
	struct norn_doubted_assertion doubted; /* the same */
	uint32_t jobs; /* norn_jobs_conflict */
	struct norn_unseen unseen;
	struct norn_map found; /* pairs of places → 1 + index of the finding */
	struct norn_map places; /* hash of a code position to uint32_t: its number */
};

void norn_builtin_driver_sites_init(
        struct norn_builtin_driver_sites *sites, const struct norn_run *run, const struct norn_builtin_driver_options *options);
void norn_builtin_driver_sites_done(struct norn_builtin_driver_sites *sites);

/* A norn_graph_lookup: context is a struct norn_builtin_driver_sites. */
void norn_builtin_driver_sites_look_up(void *context, uint32_t number, struct norn_graph_site *ret_site);

#endif
