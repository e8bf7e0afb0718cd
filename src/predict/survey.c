#include "predict/survey.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/elapsed.h"
#include "predict/agreed.h"
#include "predict/describe.h"
#include "predict/survey_sites.h"
#include "trace/merge.h"

static bool is_meant_atomic(void *context, uint32_t number)
{
	const struct norn_survey_sites *s = context;
	struct norn_site_info info;
	norn_trace_site(s->trace, number, &info);
	for (uint32_t i = 0; i < s->options->atomic_count; i++)
		if (strcmp(s->options->atomic[i], info.name) == 0)
			return true;
	return false;
}

/* ---- the graph ---- */

static int read_run(
        struct norn_survey_sites *s, struct norn_run *run, unsigned patience, struct norn_slice **ret_slice, struct norn_error *err)
{
	const struct norn_slice_limits limits = {.max_bytes = s->options->max_memory};
	struct norn_slice_builder *builder = NULL;
	struct norn_event event;
	int r = norn_slice_builder_new(norn_survey_sites_look_up, s, &limits, &builder);
	if (r == 0)
		r = norn_run_begin(run, patience);
	while (r == 0 && (r = norn_run_next(run, &event, err)) == 1)
		r = norn_slice_add(builder, &event);
	if (r == 0 || r == -EOVERFLOW)
		r = norn_slice_finish(builder, ret_slice);
	if (r == -ENOMEM)
		norn_error_no_memory(err);
	norn_slice_builder_free(builder);
	return r;
}

/* ---- predictions ---- */

static void keep_observed(struct norn_predictions *all)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < all->count; i++)
		if (all->list[i].observed)
			all->list[kept++] = all->list[i];
	all->count = kept;
}

static int predict(struct norn_survey_sites *s, struct norn_trace *trace, const struct norn_slice *slice, struct norn_findings *f)
{
	const struct norn_survey_options *o = s->options;
	const struct norn_builtin_options options = {.what = NORN_BUILTIN_DEFAULT | (o->infer ? NORN_BUILTIN_INFER : 0),
	        .effort = o->effort,
	        .guarded = true,
	        .atomic = o->atomic_count ? is_meant_atomic : NULL,
	        .context = s};
	struct norn_predictions all = {0};
	uint64_t refused = f->stats.refused;
	int r = norn_builtin_errors(slice, &options, &all);
	if (r == 0 && o->observed)
		keep_observed(&all);
	if (r == 0)
		r = norn_agreed(slice, &all, &f->stats.refused);
	if (r == 0)
		r = norn_describe(trace, slice, all.list, all.count, f);
	if (r == 0 && !all.stats.complete && !o->observed) {
		f->stats.complete = false;
		r = norn_findings_note(f, "the search for built-in errors was cut short; there may be more than were found");
	}
	if (r == 0 && f->stats.refused > refused)
		r = norn_findings_note(f,
		        "%llu predicted errors did not pass the check of their witnesses and are not shown: that is an error of "
		        "Norn's own, please report it",
		        (unsigned long long)(f->stats.refused - refused));
	norn_predictions_done(&all);
	return r;
}

static int survey(struct norn_survey_sites *s, struct norn_trace *trace, const struct norn_slice *slice, struct norn_findings *f)
{
	if (norn_slice_lost(slice)) {
		f->stats.complete = false;
		return norn_findings_note(f,
		        "events were lost while recording, so what the run did is not known: built-in errors were not looked for");
	}
	if (norn_slice_cut(slice)) {
		f->stats.complete = false;
		int r = norn_findings_note(f,
		        "only the first %u events fit into the memory allowed (--max-memory) and were looked at for built-in "
		        "errors",
		        norn_slice_count(slice));
		if (r != 0)
			return r;
	}
	return predict(s, trace, slice, f);
}

int norn_survey_slice(
        struct norn_run *run, const struct norn_survey_options *options, struct norn_slice **ret_slice, struct norn_error *err)
{
	struct norn_survey_sites s;
	norn_survey_sites_init(&s, run, options);
	int r = read_run(&s, run, NORN_MERGE_PATIENCE, ret_slice, err);
	if (r == -ESTALE) /* perhaps the recorder was starved: once more, however much memory it takes */
		r = read_run(&s, run, 0, ret_slice, err);
	norn_survey_sites_done(&s);
	return r;
}

int norn_survey(struct norn_run *run, const struct norn_slice *slice, const struct norn_survey_options *options,
        struct norn_findings *f, struct norn_error *err)
{
	struct timespec start;
	struct norn_survey_sites s = {.options = options};
	struct norn_slice *own = NULL;
	struct norn_trace *trace;
	clock_gettime(CLOCK_MONOTONIC, &start);
	int r = slice ? 0 : norn_survey_slice(run, options, &own, err);
	if (r == 0)
		r = norn_run_names(run, &trace, err);
	if (r != 0) {
		norn_slice_free(own);
		return r;
	}
	s.trace = trace;
	r = survey(&s, trace, slice ? slice : own, f);
	if (r == -ENOMEM)
		norn_error_no_memory(err);
	const uint32_t events = norn_slice_count(slice ? slice : own);
	f->stats.events = events > f->stats.events ? events : f->stats.events;
	norn_slice_free(own);
	const struct norn_file_header *header = norn_trace_header(trace);
	f->stats.threads = norn_trace_threads(trace);
	f->stats.lost = header->lost_events > f->stats.lost ? header->lost_events : f->stats.lost;
	f->stats.complete &= f->stats.lost == 0 && header->lost_threads == 0;
	f->stats.seconds += norn_seconds_since(&start);
	return r;
}
