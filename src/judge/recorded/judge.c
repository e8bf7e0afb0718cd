#include "judge/recorded/judge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/elapsed.h"
#include "base/interrupt.h"
#include "base/must.h"
#include "judge/recorded/recorded_property.h"
#include "mttl/mttl_offline.h"
#include "judge/recorded/recorded_match.h"
#include "scope/scope_offline.h"
#include "trace/merge.h"

struct norn_judge {
	const struct norn_sources *sources;
	const struct norn_spec *spec;
	const struct norn_program *program;
	struct norn_trace *trace;
	struct norn_binding *binding;
	struct norn_hidden_writes hidden_writes;
	struct norn_recorded_match *match;
	struct norn_valuation valuation;
	struct norn_moment moment;
	struct norn_recorded_property **properties;
	uint32_t property_count;
	uint64_t positions; /* that are one of some property */
	bool predicts;
	struct norn_property_search_options options;
	struct norn_property_search *search; /* of the run; NULL: none */
	struct norn_scope_offline *scopes; /* the same for scopes */
	struct norn_mttl_offline *mttl; /* and for MTTL */
};

/* ---- life ---- */

static bool is_judged(enum norn_logic_kind logic)
{
	return logic <= NORN_LOGIC_FSM;
}

static int make_properties(struct norn_judge *j, struct norn_error *err)
{
	j->properties = norn_must_calloc(j->spec->property_count, sizeof(struct norn_recorded_property *));
	for (uint32_t i = 0; i < j->spec->property_count; i++) {
		const struct norn_property *p = &j->spec->properties[i];
		struct norn_error why = {0};
		if (!is_judged(p->logic))
			continue;
		if (p->key_count > NORN_KEYS_MAX)
			return norn_error_set(err, -E2BIG, "property %s has %u keys: more than %u are too many", p->name,
			        p->key_count, NORN_KEYS_MAX);
		int r = norn_recorded_property_new(j->sources, j->binding, p, &j->properties[j->property_count], &why);
		if (r != 0)
			return norn_error_set(err, r, "property %s: %s", p->name, why.message);
		j->property_count++;
	}
	return 0;
}

int norn_judge_new(const struct norn_sources *sources, const struct norn_spec *spec, const struct norn_program *program,
        struct norn_trace *trace, struct norn_judge **ret_judge, struct norn_error *err)
{
	struct norn_judge *j = norn_must_calloc(1, sizeof *j);
	*j = (struct norn_judge){.sources = sources, .spec = spec, .program = program, .trace = trace};
	int r = norn_binding_new(spec, program, trace, &j->binding, err);
	if (r == 0)
		r = make_properties(j, err);
	if (r != 0) {
		norn_judge_free(j);
		return r;
	}
	*ret_judge = j;
	return 0;
}

void norn_judge_predict(struct norn_judge *judge, const struct norn_property_search_options *options)
{
	judge->predicts = true;
	judge->options = *options;
}

static void clear_run(struct norn_judge *j)
{
	norn_property_search_free(j->search);
	norn_scope_offline_free(j->scopes);
	norn_mttl_offline_free(j->mttl);
	j->search = NULL;
	j->scopes = NULL;
	j->mttl = NULL;
	norn_recorded_match_free(j->match);
	norn_hidden_writes_done(&j->hidden_writes);
	norn_valuation_done(&j->valuation);
	norn_moment_done(&j->moment);
	j->match = NULL;
}

static void clear_properties(struct norn_judge *j)
{
	for (uint32_t i = 0; i < j->property_count; i++)
		norn_recorded_property_free(j->properties[i]);
	free(j->properties);
	j->properties = NULL;
	j->property_count = 0;
}

void norn_judge_free(struct norn_judge *j)
{
	if (!j)
		return;
	clear_run(j);
	clear_properties(j);
	norn_binding_free(j->binding);
	free(j);
}

/* ---- the run ---- */

static void judge_position(struct norn_judge *j, const struct norn_position *p, struct norn_findings *f)
{
	uint64_t relevant = 0;
	norn_valuation_apply(&j->valuation, p, &j->moment);
	for (uint32_t i = 0; i < j->property_count; i++)
		norn_recorded_property_position(j->properties[i], &j->moment, f, &relevant);
	j->positions += relevant > 0;
	norn_valuation_fade(&j->valuation, j->binding, p);
}

/* Ready for the first event. */
static int open_run(struct norn_judge *j, unsigned patience, struct norn_findings *f, struct norn_error *err)
{
	int r = norn_hidden_writes_find(j->binding, j->trace, patience, &j->hidden_writes, err);
	if (r != 0)
		return r;
	j->match = norn_recorded_match_new(j->binding, &j->hidden_writes);
	norn_valuation_init(&j->valuation, j->binding);
	norn_moment_init(&j->moment, j->binding);
	const struct norn_position *start = norn_recorded_match_start(j->match);
	judge_position(j, start, f);
	r = norn_scope_offline_new(j->sources, j->binding, &j->scopes, err);
	if (r == 0)
		r = norn_mttl_offline_new(j->sources, j->binding, &j->mttl, err);
	if (r == 0 && j->predicts)
		r = norn_property_search_new(j->sources, j->binding, start, &j->options, &j->search, err);
	return r;
}

static void close_run(struct norn_judge *j, struct norn_findings *f)
{
	const struct norn_position end = {.number = UINT64_MAX};
	norn_valuation_apply(&j->valuation, &end, &j->moment);
	for (uint32_t i = 0; i < j->property_count; i++)
		norn_recorded_property_end(j->properties[i], &j->moment, f);
	if (j->scopes)
		norn_scope_offline_end(j->scopes, f);
	if (j->mttl)
		norn_mttl_offline_end(j->mttl, f);
	if (j->binding->place_index->full)
		norn_findings_partial(f, NORN_REASON_PROPERTY, 1, "record a shorter run",
		        "pointers led to more than %u objects; the values of some are not known", NORN_PLACE_INDEX_RECORDED);
	f->stats.relevant += j->positions;
}

/* The verdicts on other orders. */
static int foretell(struct norn_judge *j, struct norn_findings *f, struct norn_error *err)
{
	const struct norn_file_header *header = norn_trace_header(j->trace);
	if (!j->search)
		return 0;
	for (uint32_t i = 0; i < j->property_count; i++)
		if (norn_recorded_property_violated(j->properties[i]))
			norn_property_search_violated(j->search, norn_recorded_property_property(j->properties[i]));
	return norn_property_search_end(
	        j->search, f->stats.lost == 0 && header->lost_events == 0 && header->lost_threads == 0, f, err);
}

/* 0, or -EOVERFLOW: it has more threads or events than can be told apart. */
static int judge_event(struct norn_judge *j, const struct norn_event *event, struct norn_findings *f)
{
	int r = 0;
	const struct norn_position *p = norn_recorded_match_event(j->match, event);
	const struct norn_moment *moment = p ? &j->moment : NULL;
	if (p)
		judge_position(j, p, f);
	if (j->scopes)
		r = norn_scope_offline_event(j->scopes, event, moment, f, &j->positions);
	if (j->mttl)
		norn_mttl_offline_event(j->mttl, event, moment, f, &j->positions);
	if (r == 0 && j->search)
		r = norn_property_search_event(j->search, event, p);
	return r;
}

static int pass(struct norn_judge *const *judges, uint32_t count, struct norn_trace *trace, unsigned patience,
        struct norn_findings *f, struct norn_error *err)
{
	struct norn_merge *merge;
	struct norn_event event;
	int r = 1;
	merge = norn_merge_new(trace, patience);
	while (r == 1 && (r = norn_merge_next(merge, &event, err)) == 1) {
		if (norn_interrupted()) {
			r = norn_error_set(err, -ECANCELED, "interrupted");
			break;
		}
		f->stats.events += event.kind != NORN_EVENT_LOST && event.pieces < 2;
		for (uint32_t i = 0; r == 1 && i < count; i++)
			if (judge_event(judges[i], &event, f) != 0)
				r = norn_error_set(err, -EOVERFLOW, "it has more threads, or events, than can be told apart");
	}
	struct norn_merge_losses losses;
	norn_merge_losses(merge, &losses);
	f->stats.lost = losses.lost;
	norn_merge_free(merge);
	return r;
}

/* Once more through the run, for searches that have predicted something. */
static int verify(struct norn_judge *const *judges, uint32_t count, struct norn_trace *trace, unsigned patience,
        struct norn_findings *f, struct norn_error *err)
{
	struct norn_merge *merge;
	struct norn_event event;
	uint64_t claims = 0;
	for (uint32_t i = 0; i < count; i++)
		claims += judges[i]->search ? norn_property_search_candidates(judges[i]->search)->count : 0;
	if (claims == 0)
		return 0;
	int r = 1;
	merge = norn_merge_new(trace, patience);
	while (r == 1 && (r = norn_merge_next(merge, &event, err)) == 1)
		for (uint32_t i = 0; i < count; i++)
			if (judges[i]->search)
				norn_candidates_event(norn_property_search_candidates(judges[i]->search), &event);
	norn_merge_free(merge);
	for (uint32_t i = 0; r == 0 && i < count; i++)
		if (judges[i]->search)
			r = norn_candidates_check(norn_property_search_candidates(judges[i]->search), f, err);
	return r;
}

static int run_all(struct norn_judge *const *judges, uint32_t count, struct norn_trace *trace, unsigned patience,
        struct norn_findings *f, struct norn_error *err)
{
	int r = 0;
	for (uint32_t i = 0; r == 0 && i < count; i++)
		r = open_run(judges[i], patience, f, err);
	if (r == 0)
		r = pass(judges, count, trace, patience, f, err);
	for (uint32_t i = 0; r == 0 && i < count; i++)
		close_run(judges[i], f);
	for (uint32_t i = 0; r == 0 && i < count; i++)
		r = foretell(judges[i], f, err);
	return r == 0 ? verify(judges, count, trace, patience, f, err) : r;
}

/* Everything as it was before the run. */
static int start_over(struct norn_judge *const *judges, uint32_t count, struct norn_findings *f, struct norn_error *err)
{
	norn_findings_done(f);
	norn_findings_init(f);
	for (uint32_t i = 0; i < count; i++) {
		clear_run(judges[i]);
		clear_properties(judges[i]);
		judges[i]->positions = 0;
		int r = make_properties(judges[i], err);
		if (r != 0)
			return r;
	}
	return 0;
}

/* Variables that cannot be watched, as they are nowhere. */
static void note_removed(const struct norn_judge *j, struct norn_findings *f)
{
	for (uint32_t i = 0; i < j->spec->place_count; i++) {
		const struct norn_place *p = &j->spec->places[i];
		if (p->kind == NORN_PLACE_OBJECT && p->base && p->base->optimised_out)
			norn_findings_partial(f, NORN_REASON_PROPERTY, 1, "compile with -O0, or make it volatile",
			        "the optimiser removed %s, so its values are not known", p->text);
	}
}

/* Calls that the optimiser dissolved make no events. */
static void note_inlined(const struct norn_judge *j, struct norn_findings *f)
{
	for (uint32_t e = 0; e < j->spec->event_count; e++) {
		if (!j->binding->event_match->inlined[e])
			continue;
		norn_findings_partial(f, NORN_REASON_PROPERTY, 1, "compile with -O1, or make it noinline",
		        "event %s misses calls of %s, which the optimiser inlined", j->spec->events[e].name,
		        j->binding->event_match->inlined[e]);
	}
}

int norn_judge_run(struct norn_judge *const *judges, uint32_t count, struct norn_trace *trace, struct norn_findings *findings,
        struct norn_error *err)
{
	struct timespec start;
	clock_gettime(CLOCK_MONOTONIC, &start);
	int r = run_all(judges, count, trace, NORN_MERGE_PATIENCE, findings, err);
	if (r == -ESTALE) {
		/* Perhaps the recorder was starved: once more, however much memory it takes. */
		r = start_over(judges, count, findings, err);
		if (r == 0)
			r = run_all(judges, count, trace, 0, findings, err);
	}
	for (uint32_t i = 0; i < count; i++) {
		note_removed(judges[i], findings);
		note_inlined(judges[i], findings);
	}
	const struct norn_file_header *header = norn_trace_header(trace);
	struct norn_finding_stats *stats = &findings->stats;
	stats->threads = norn_trace_threads(trace);
	stats->lost = header->lost_events > stats->lost ? header->lost_events : stats->lost;
	norn_findings_lost(findings, header->lost_threads);
	stats->seconds = norn_seconds_since(&start);
	struct rusage usage;
	if (getrusage(RUSAGE_SELF, &usage) == 0)
		stats->memory = (uint64_t)usage.ru_maxrss << 10;
	return r;
}
