/* What is known of the sites of a run, for its dependence graph (slice.h): from its trace, from a text, and from models of functions that nobody sees. */
#ifndef NORN_PREDICT_SURVEY_SITES_H
#define NORN_PREDICT_SURVEY_SITES_H

#include "base/map.h"
#include "causality/slice.h"
#include "predict/sight.h"
#include "trace/run.h"

struct norn_survey_options;

struct norn_survey_sites {
	const struct norn_trace *trace; /* NULL: it is a text */
	const struct norn_rapid_text *text;
	const struct norn_survey_options *options;
	bool imported; /* RAPID's text, or converted from it: acquires are named after their lock, and wait */
	bool cut; /* a search was cut short */
	uint64_t searches, given_up; /* for other orders of regions (swap.h) */
	struct norn_unseen unseen;
	struct norn_map found; /* pairs of places → 1 + index of the finding */
	struct norn_map places; /* hash of a code position to uint32_t: its number */
};

void norn_survey_sites_init(struct norn_survey_sites *sites, const struct norn_run *run, const struct norn_survey_options *options);
void norn_survey_sites_done(struct norn_survey_sites *sites);

/* A norn_slice_lookup: context is a struct norn_survey_sites. */
void norn_survey_sites_look_up(void *context, uint32_t number, struct norn_slice_site *ret_site);

#endif
