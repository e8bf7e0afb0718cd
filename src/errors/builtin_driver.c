#include "errors/builtin_driver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/elapsed.h"
#include "base/text/function_name.h"
#include "base/interrupt.h"
#include "base/must.h"
#include "causality/prefix_state.h"
#include "witness/check_witnesses.h"
#include "witness/interchange_witness.h"
#include "finding/predicted_errors.h"
#include "errors/fix/checked_fix.h"
#include "errors/harm/consequence.h"
#include "errors/interchange/idle_thread.h"
#include "errors/interchange/interchange.h"
#include "errors/jobs.h"
#include "errors/judged_places.h"
#include "errors/site_facts.h"
#include "trace/merge.h"

#define EVENT_BYTES 64u /* bytes for each event of a whole run: its graph, and what searches add */
#define WINDOW_BYTES                                                                                                               \
	152u /* the same, with the next window's beginning beside it, memory that was accessed before, and what reading takes */
#define WINDOW_LEAST 8192u

static bool is_meant_atomic(void *context, uint32_t number)
{
	const struct norn_builtin_driver_sites *s = context;
	struct norn_site_info info;
	norn_trace_site(s->trace, number, &info);
	for (uint32_t i = 0; i < s->options->atomic_count; i++)
		if (norn_function_is_named(info.name, s->options->atomic[i]))
			return true;
	return false;
}

int norn_builtin_driver_tell(const struct norn_builtin_driver_options *options, const struct norn_run *run, uint64_t events)
{
	if (!options->progress || events % NORN_BUILTIN_DRIVER_TELL)
		return 0;
	return options->progress(options->context, norn_run_progress(run));
}

/* ---- the graph ---- */

static int read_run(struct norn_builtin_driver_sites *s, struct norn_run *run, unsigned patience, struct norn_graph **ret_graph,
        struct norn_error *err)
{
	const struct norn_graph_limits limits = {.max_bytes = s->options->max_memory};
	struct norn_graph_builder *builder = norn_graph_builder_new(norn_builtin_driver_sites_look_up, s, &limits);
	if (s->options->initial)
		norn_graph_initial_memory(builder, s->options->initial, s->options->initial_context);
	struct norn_event event;
	int r = 0;
	norn_run_begin(run, patience);
	for (uint64_t n = 1; r == 0 && (r = norn_run_next(run, &event, err)) == 1; n++) {
		r = norn_graph_add(builder, &event);
		if (r == 0)
			r = norn_builtin_driver_tell(s->options, run, n);
	}
	norn_run_rest(run);
	if (r == 0 || r == -EOVERFLOW) {
		*ret_graph = norn_graph_finish(builder);
		r = 0;
	}
	norn_graph_builder_free(builder);
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

static uint64_t race_key(uint32_t a, uint32_t b)
{
	return (uint64_t)(a < b ? a : b) << 32 | UINT64_C(1) << 31 | (a < b ? b : a);
}

/* One finding for each pair of code positions, in whichever window it is found first: that of stops, 0: of others than pairs. */
static uint64_t positions(const struct norn_graph *graph, const struct norn_predicted *p)
{
	bool race = p->kind == NORN_PREDICTED_RACE;
	if ((!race && p->kind != NORN_PREDICTED_USE_AFTER_FREE) || (p->stop_count != 2 && !race))
		return 0;
	uint32_t other = p->stop_count == 2 ? p->stops[1] : p->first;
	uint32_t a = norn_graph_place(graph, norn_graph_event(graph, p->stops[0])->site);
	uint32_t b = norn_graph_place(graph, norn_graph_event(graph, other)->site);
	return race ? race_key(a, b) : (uint64_t)a << 32 | b;
}

static void drop_known(const struct norn_builtin_driver_sites *s, const struct norn_graph *graph, struct norn_predictions *all,
        struct norn_findings *f)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < all->count; i++) {
		uint64_t key = positions(graph, &all->list[i]);
		const uint32_t *known = key ? norn_map_get(&s->found, key) : NULL;
		bool surer = known && !norn_is_suspected(&all->list[i]) && strcmp(f->list[*known - 1].status, "suspected") == 0;
		if (known && !surer)
			f->list[*known - 1].count += all->list[i].pairs;
		else
			all->list[kept++] = all->list[i];
	}
	all->count = kept;
}

static int describe(struct norn_builtin_driver_sites *s, struct norn_trace *trace, const struct norn_graph *graph,
        struct norn_predictions *all, const struct norn_described *told, struct norn_findings *f, uint32_t *indices)
{
	drop_known(s, graph, all, f);
	int r = norn_describe(trace, graph, all->list, all->count, told, f, indices);
	for (uint32_t i = 0; i < all->count && r == 0; i++) {
		uint64_t key = positions(graph, &all->list[i]);
		if (key)
			*(uint32_t *)norn_must_map_put(&s->found, key) = indices[i] + 1;
	}
	return r;
}

static void add_variable(struct norn_findings *f, struct norn_finding *finding, uint32_t variable)
{
	for (uint32_t i = 0; i < finding->variable_count; i++)
		if (finding->variables[i] == variable)
			return;
	uint32_t *list = norn_must_arena_alloc(&f->arena, (finding->variable_count + 1ul) * sizeof *list);
	for (uint32_t i = 0; i < finding->variable_count; i++)
		list[i] = finding->variables[i];
	list[finding->variable_count++] = variable;
	finding->variables = list;
}

/* A finding that is certain on other memory of these places may be only suspected on the variable. */
static void tell_variable(struct norn_findings *f, const struct norn_predicted *p, struct norn_finding *finding, uint32_t variable)
{
	if (!norn_is_suspected(p) || strcmp(finding->status, "suspected") == 0)
		add_variable(f, finding, variable);
	else
		norn_findings_partial(f, NORN_REASON_PROPERTY, 1, "name the field of all objects (struct TAG.FIELD)",
		        "a race on memory that a property names is only suspected: at the places of %s, which is one on other "
		        "memory",
		        finding->id);
}

/* A finding stands for all memory that its places race on, and only the first race of two places is predicted: races on a variable
 * that a property names are looked for on its memory alone. Limits count, but for what is the same in the search of all memory. */
static int find_on_variable(struct norn_builtin_driver_sites *s, struct norn_trace *trace, const struct norn_graph *graph,
        const struct norn_builtin_options *usual, uint32_t variable, struct norn_findings *f)
{
	struct norn_builtin_options options = *usual;
	struct norn_predictions all = {0};
	options.what = NORN_BUILTIN_RACE;
	options.only = &s->options->variables[variable];
	options.judged = NULL;
	norn_builtin_errors(graph, &options, &all);
	if (s->options->observed)
		keep_observed(&all);
	if (!s->options->without || s->options->checked)
		norn_check_witnesses(graph, &all, &f->stats.refused);
	norn_consequences_find(graph, &options, &all);
	uint32_t *indices = norn_must_calloc(all.count + UINT64_C(1), sizeof *indices);
	for (uint32_t i = 0; i < all.count; i++)
		all.list[i].pairs = 0; /* they were counted */
	int r = norn_describe(trace, graph, all.list, all.count, NULL, f, indices);
	for (uint32_t i = 0; i < all.count && r == 0; i++)
		tell_variable(f, &all.list[i], &f->list[indices[i]], variable);
	free(indices);
	for (unsigned i = 0; i < NORN_BUILTIN_LIMITS && !s->options->observed; i++)
		s->limits[i] += i == NORN_LIMIT_ACCESSES ? 0 : all.stats.limits[i];
	if (!s->options->observed) {
		s->inexact = all.stats.inexact ? all.stats.inexact : s->inexact;
		s->barred = s->barred ? s->barred : all.stats.barred;
	}
	norn_predictions_done(&all);
	return r;
}

static int find_on_variables(struct norn_builtin_driver_sites *s, struct norn_run *run, const struct norn_graph *graph,
        const struct norn_builtin_options *options, struct norn_findings *f)
{
	int r = 0;
	for (uint32_t i = 0; i < s->options->variable_count && r == 0 && !norn_interrupted(); i++)
		r = find_on_variable(s, (struct norn_trace *)norn_run_recorded(run), graph, options, i, f);
	return r;
}

/* Reports the judgements of this graph's pairs of places. */
static void tell_judged(const struct norn_builtin_driver_sites *s, struct norn_trace *trace, const struct norn_graph *graph,
        const struct norn_judged_places *judged, struct norn_findings *f)
{
	norn_judged_pairs_begin(f);
	norn_judged_pairs_ran(f, trace, graph);
	for (uint32_t i = 0; i < judged->pairs.count; i++) {
		const struct norn_judged_pair_of_places *pair = judged->pairs.items + i;
		const uint32_t *finding = norn_map_get(&s->found, race_key(pair->place, pair->other));
		norn_judged_places_tell(pair, finding ? &f->list[*finding - 1] : NULL, s->options->observed, trace, graph, f);
	}
}

/* A prediction of the divided run: the two places met in one thread of the recorded one. */
static void tell_judged_other(const struct norn_builtin_driver_sites *s, const struct norn_graph *divided,
        const struct norn_predicted *p, const struct norn_finding *finding, struct norn_findings *f)
{
	const struct norn_judged_pair_of_places pair = {
	        .first = p->stops[0], .second = p->stops[1], .candidates = 1, .found = true};
	norn_judged_places_tell(&pair, finding, s->options->observed, s->trace, divided, f);
}

/* Races of jobs that one thread of a pool ran. */
static int predict_jobs(struct norn_builtin_driver_sites *s, struct norn_run *run, const struct norn_graph *graph,
        const struct norn_described *told, struct norn_findings *f)
{
	const struct norn_builtin_options options = {
	        .what = NORN_BUILTIN_RACE, .effort = s->options->effort, .without = s->options->without, .context = s};
	struct norn_graph *divided = norn_jobs_divide(s, run, graph);
	struct norn_predictions all = {0};
	uint32_t kept = 0;
	if (!divided)
		return 0;
	norn_builtin_errors(divided, &options, &all);
	for (uint32_t i = 0; i < all.count; i++) {
		struct norn_predicted *p = &all.list[i];
		for (uint32_t k = 0; k < p->stop_count; k++)
			p->job = p->job ? p->job : norn_jobs_given(divided, norn_trace_threads(s->trace), p->stops[k]);
		if (p->job && p->stop_count == 2)
			all.list[kept++] = *p;
	}
	all.count = kept;
	s->jobs = kept ? 0 : s->jobs; /* the suspected finding says as much as the note would */
	norn_check_witnesses(divided, &all, &f->stats.refused);
	norn_consequences_find(divided, &options, &all);
	uint32_t *indices = norn_must_calloc(all.count + UINT64_C(1), sizeof *indices);
	int r = all.count ? describe(s, (struct norn_trace *)norn_run_recorded(run), divided, &all, told, f, indices) : 0;
	for (uint32_t i = 0; i < all.count && r == 0 && s->options->judged; i++)
		tell_judged_other(s, divided, &all.list[i], &f->list[indices[i]], f);
	free(indices);
	norn_predictions_done(&all);
	norn_graph_free(divided);
	return r;
}

/* Errors of a run in which threads have changed places. Those of freed memory are left out: where malloc puts a block may depend on
 * the thread. */
static int predict_interchanged(struct norn_builtin_driver_sites *s, struct norn_run *run, const struct norn_graph *graph,
        const struct norn_builtin_options *usual, const struct norn_described *told, struct norn_findings *f)
{
	struct norn_builtin_options options = *usual;
	struct norn_interchange other;
	struct norn_predictions all = {0};
	if (!norn_interchange_find(s, run, graph, &other)) {
		if (f->count == 0)
			norn_idle_thread_note(norn_run_recorded(run), graph, f);
		return 0;
	}
	options.what = (options.what & ~(unsigned)NORN_BUILTIN_FREE) | NORN_BUILTIN_POINTER;
	norn_builtin_errors(other.graph, &options, &all);
	bool right = norn_interchange_check(graph, other.graph, other.recorded);
	f->stats.refused += right ? 0 : 1;
	if (right && !s->freed_pointer.read)
		s->freed_pointer = all.stats.freed_pointer;
	all.count = right ? all.count : 0;
	for (uint32_t i = 0; i < all.count; i++) {
		all.list[i].observed = false;
		all.list[i].by = other.by;
	}
	drop_known(s, other.graph, &all, f);
	norn_check_witnesses(other.graph, &all, &f->stats.refused);
	norn_consequences_find(other.graph, &options, &all);
	uint32_t *indices = norn_must_calloc(all.count + UINT64_C(1), sizeof *indices);
	int r = all.count ? describe(s, (struct norn_trace *)norn_run_recorded(run), other.graph, &all, told, f, indices) : 0;
	for (uint32_t i = 0; i < all.count && r == 0 && s->options->judged; i++)
		if (all.list[i].kind == NORN_PREDICTED_RACE && all.list[i].stop_count == 2)
			tell_judged_other(s, other.graph, &all.list[i], &f->list[indices[i]], f);
	free(indices);
	if (told && all.count) {
		told->keep(told->context, other.graph);
		other.graph = NULL;
	}
	norn_predictions_done(&all);
	norn_interchange_done(&other);
	return r;
}

static int predict(struct norn_builtin_driver_sites *s, struct norn_run *run, const struct norn_graph *graph, uint32_t seen,
        const struct norn_described *told, struct norn_findings *f, struct norn_error *err)
{
	const struct norn_builtin_driver_options *o = s->options;
	struct norn_judged_places judged;
	struct norn_builtin_options options = {.what = NORN_BUILTIN_DEFAULT | (o->infer ? NORN_BUILTIN_INFER : 0),
	        .effort = o->effort,
	        .without = o->without,
	        .guarded = true,
	        .seen = seen,
	        .atomic = o->atomic_count ? is_meant_atomic : NULL,
	        .context = s,
	        .judged = o->judged ? &judged : NULL};
	struct norn_predictions all = {0};
	norn_judged_places_init(&judged);
	if (!o->observed)
		norn_unseen_count(&s->unseen, graph);
	int r = 0;
	norn_builtin_errors(graph, &options, &all);
	options.judged = NULL; /* later searches are of other runs, or repeat this one for fixes and variables */
	if (o->observed)
		keep_observed(&all);
	if (!o->without || o->checked)
		norn_check_witnesses(graph, &all, &f->stats.refused);
	norn_consequences_find(graph, &options, &all);
	/* The names of a text take memory: they are read after the searches, which take more, have freed theirs. */
	struct norn_trace *trace;
	if (all.count || o->judged)
		r = norn_run_names(run, NULL, &trace, err);
	uint32_t *indices = norn_must_calloc(all.count + UINT64_C(1), sizeof *indices);
	if (r == 0 && all.count)
		r = describe(s, trace, graph, &all, told, f, indices);
	if (r == 0 && o->judged)
		tell_judged(s, trace, graph, &judged, f);
	norn_judged_places_done(&judged);
	if (r == 0 && o->fixes && s->whole && s->trace && !norn_interrupted())
		norn_checked_fixes_find(s, run, graph, &options, &all, indices, f);
	free(indices);
	if (r == 0 && norn_run_recorded(run))
		r = find_on_variables(s, run, graph, &options, f);
	if (all.stats.inexact && !o->observed)
		s->inexact = all.stats.inexact;
	s->searches += all.stats.searches;
	for (unsigned i = 0; i < NORN_BUILTIN_LIMITS && !o->observed; i++)
		s->limits[i] += all.stats.limits[i];
	if (!s->barred && !o->observed)
		s->barred = all.stats.barred;
	if (!s->freed_pointer.read && !o->observed)
		s->freed_pointer = all.stats.freed_pointer;
	if (!s->doubted.read && !o->observed)
		s->doubted = all.stats.doubted;
	norn_predictions_done(&all);
	if (r == 0 && s->whole && s->trace && !o->observed)
		r = predict_interchanged(s, run, graph, &options, told, f);
	if (!s->jobs && !o->observed)
		s->jobs = norn_jobs_conflict(graph);
	if (r == 0 && s->jobs && s->whole && s->trace && !o->observed)
		r = predict_jobs(s, run, graph, told, f);
	return r;
}

int norn_builtin_driver_graph(struct norn_run *run, const struct norn_builtin_driver_options *options,
        struct norn_graph **ret_graph, struct norn_error *err)
{
	struct norn_builtin_driver_sites s;
	norn_builtin_driver_sites_init(&s, run, options);
	int r = read_run(&s, run, NORN_MERGE_PATIENCE, ret_graph, err);
	if (r == -ESTALE) /* perhaps the recorder was starved: once more, however much memory it takes */
		r = read_run(&s, run, 0, ret_graph, err);
	norn_builtin_driver_sites_done(&s);
	return r;
}

/* ---- windows ---- */

/* A long run is looked at in parts that overlap: while one is being filled, the next begins with what came before it
 * (causality/prefix_state.h). */
struct windows {
	struct norn_builtin_driver_sites *sites;
	struct norn_run *run;
	struct norn_findings *findings;
	struct norn_prefix *prefix;
	struct norn_graph_builder *now, *next; /* next: NULL until the overlap begins */
	uint64_t first, next_first; /* numbers of their first events that are not carried */
	uint64_t size, overlap;
	uint64_t seen; /* events of the windows before */
	uint32_t count;
	uint64_t number;
};

static int begin_window(struct windows *w, const struct norn_graph_builder *before, struct norn_graph_builder **ret_builder)
{
	*ret_builder = norn_graph_builder_new(norn_builtin_driver_sites_look_up, w->sites, NULL);
	if (!before)
		return 0;
	uint32_t count;
	struct norn_prefix_event *list = norn_prefix_list(w->prefix, &count);
	norn_graph_inherit(*ret_builder, before);
	int r = norn_prefix_begin(list, count, w->number, *ret_builder);
	free(list);
	return r;
}

/* Searches the window, which is full, or the run's last. */
static int look_at(struct windows *w, struct norn_error *err)
{
	struct norn_graph *graph = norn_graph_finish(w->now);
	uint64_t from = w->first - 1 - norn_graph_carried(graph);
	int r = predict(w->sites, w->run, graph, w->seen > from ? (uint32_t)(w->seen - from) : 0, NULL, w->findings, err);
	norn_graph_free(graph);
	norn_graph_builder_free(w->now);
	w->now = w->next;
	w->next = NULL;
	w->first = w->next_first;
	w->seen = w->number;
	w->count++;
	return r;
}

static int window_event(struct windows *w, const struct norn_event *e, struct norn_error *err)
{
	int r = 0;
	if (!w->next && w->number + 1 - w->first >= w->size - w->overlap) {
		w->next_first = w->number + 1;
		r = begin_window(w, w->now, &w->next);
	}
	bool odd = norn_prefix_event(w->prefix, e);
	w->number++;
	struct norn_graph_builder *both[] = {w->now, w->next};
	for (unsigned i = 0; i < 2 && r == 0 && both[i]; i++) {
		r = norn_graph_add(both[i], e);
		if (r == 0 && odd)
			norn_graph_odd(both[i]);
	}
	return r == 0 && w->number - w->first + 1 >= w->size ? look_at(w, err) : r;
}

static int go_through(struct windows *w, unsigned patience, struct norn_error *err)
{
	struct norn_event e;
	w->prefix = norn_prefix_new((uint32_t)(w->size / 8 < UINT32_MAX ? w->size / 8 : UINT32_MAX));
	norn_run_begin(w->run, patience);
	int r = begin_window(w, NULL, &w->now);
	while (r == 0 && (r = norn_run_next(w->run, &e, err)) == 1) {
		r = window_event(w, &e, err);
		if (r == 0)
			r = norn_builtin_driver_tell(w->sites->options, w->run, w->number);
	}
	if (r == 0 && (w->number > w->seen || w->count == 0))
		r = look_at(w, err);
	norn_graph_builder_free(w->now);
	norn_graph_builder_free(w->next);
	norn_prefix_free(w->prefix);
	return r;
}

static int survey_windows(struct norn_builtin_driver_sites *s, struct norn_run *run, uint64_t *ret_events, struct norn_findings *f,
        struct norn_error *err)
{
	uint64_t size = s->options->window ? s->options->window : s->options->max_memory / WINDOW_BYTES;
	size = size < WINDOW_LEAST && !s->options->window ? WINDOW_LEAST : size;
	size = size > NORN_GRAPH_EVENTS_MAX / 2 ? NORN_GRAPH_EVENTS_MAX / 2 : size;
	struct windows w = {.sites = s, .run = run, .findings = f, .first = 1, .size = size, .overlap = size / 4};
	int r = go_through(&w, NORN_MERGE_PATIENCE, err);
	if (r == -ESTALE) {
		w = (struct windows){.sites = s, .run = run, .findings = f, .first = 1, .size = size, .overlap = size / 4};
		r = go_through(&w, 0, err);
	}
	*ret_events = w.number;
	if (r != 0 || w.count < 2)
		return r;
	norn_judged_pairs_doubt(f, NORN_PAIR_MEMORY);
	unsigned long long megabytes = (w.number * EVENT_BYTES >> 20) + 1;
	norn_findings_partial(f, NORN_REASON_MEMORY, w.count, norn_findings_text(f, "allow %llu MiB (--max-memory)", megabytes),
	        "the run has %llu events, more than are looked at together in the memory allowed: it was looked at for built-in "
	        "errors in %u windows of %llu events, which overlap by %llu; errors whose events lie further apart may be missed",
	        (unsigned long long)w.number, w.count, (unsigned long long)w.size, (unsigned long long)w.overlap);
	return 0;
}

/* ---- the driver ---- */

static bool fits(const struct norn_builtin_driver_options *o, const struct norn_run *run)
{
	return !o->window && (!o->max_memory || norn_run_estimate(run) <= o->max_memory / EVENT_BYTES);
}

uint64_t norn_builtin_driver_need(const struct norn_run *run, const struct norn_builtin_driver_options *options)
{
	return fits(options, run) ? norn_run_estimate(run) * EVENT_BYTES : options->max_memory;
}

/* graph: NULL, or it may be cut. */
static int driver(struct norn_builtin_driver_sites *s, struct norn_run *run, const struct norn_graph *graph, uint64_t *ret_events,
        struct norn_findings *f, struct norn_error *err)
{
	struct norn_graph *own = NULL;
	int r = 0;
	if (!graph && fits(s->options, run)) {
		r = norn_builtin_driver_graph(run, s->options, &own, err);
		graph = own;
	}
	if (r == 0 && graph && !norn_graph_cut(graph)) {
		*ret_events = norn_graph_count(graph);
		s->whole = true;
		r = predict(s, run, graph, 0, graph == own ? NULL : s->options->told, f, err);
		norn_graph_free(own);
		return r;
	}
	norn_graph_free(own);
	return r == 0 ? survey_windows(s, run, ret_events, f, err) : r;
}

void norn_builtin_driver_refuse_lost(struct norn_findings *f)
{
	norn_findings_partial(f, NORN_REASON_LOST, 1, NORN_REMEDY_LOST,
	        "events were lost while recording, so what the run did is not known: built-in errors were not looked for");
}

static void say_lost(struct norn_findings *f, uint64_t events)
{
	norn_findings_partial(f, NORN_REASON_LOST, 1, NORN_REMEDY_LOST,
	        "events were lost while recording: built-in errors were looked for in what came before the first loss, %llu events",
	        (unsigned long long)events);
}

void norn_builtin_driver_losses(struct norn_findings *f, const struct norn_run *run)
{
	const struct norn_trace *trace = norn_run_recorded(run);
	const struct norn_file_header *header = trace ? norn_trace_header(trace) : NULL;
	f->stats.threads = norn_run_threads(run);
	if (header && header->lost_events > f->stats.lost)
		f->stats.lost = header->lost_events;
	norn_findings_lost(f, header ? header->lost_threads : 0);
	if (norn_run_unplaced(run))
		norn_findings_partial(f, NORN_REASON_TRACE, 1, "map it once, and share the pointer",
		        "threads used memory that is mapped at two addresses, so the order of what they did is not known: built-in "
		        "errors "
		        "were looked for in what came before");
	uint64_t again = norn_run_text(run) ? norn_rapid_text_forked_again(norn_run_text(run)) : 0;
	if (again)
		norn_findings_note(
		        f, "%llu forks of threads that had been forked already were left out", (unsigned long long)again);
}

void norn_builtin_driver_refused(struct norn_findings *f, uint64_t refused)
{
	if (refused)
		norn_findings_partial(f, NORN_REASON_REFUSED, refused, "please report it",
		        "%llu predicted errors did not pass the check of their witnesses and are not shown: that is an error of "
		        "Norn's own",
		        (unsigned long long)refused);
}

/* With enough effort all searches end by themselves, but for those of an operand with very many values. */
static void say_limits(const struct norn_builtin_driver_sites *s, struct norn_findings *f)
{
	static const struct {
		const char *one, *many, *rest;
	} sentences[NORN_BUILTIN_LIMITS] = {
	        [NORN_LIMIT_STEPS] = {"candidate was", "candidates were", "not examined, as the earlier ones had taken too long"},
	        [NORN_LIMIT_WINDOW] = {"candidate was", "candidates were",
	                "given up, as too many events would have to come before"},
	        [NORN_LIMIT_NODES] = {"search for other orders of locked regions was",
	                "searches for other orders of locked regions were", "given up"},
	        [NORN_LIMIT_SPAN] = {"search for other orders of locked regions", "searches for other orders of locked regions",
	                "would have been of too many events"},
	        [NORN_LIMIT_MEETINGS] = {"pair of places", "pairs of places", "met more often than was tried"},
	        [NORN_LIMIT_ACCESSES] = {"access of memory that is used at many places was",
	                "accesses of memory that is used at many places were", "not compared with all others"},
	        [NORN_LIMIT_CIRCLES] = {"acquire was", "acquires were", "not followed to all circles of waiting threads"},
	        [NORN_LIMIT_OPERANDS] = {"assertion was", "assertions were",
	                "not tried with all values that its operands might have"},
	        [NORN_LIMIT_VALUES] = {"candidate was", "candidates were",
	                "given up, as too many reads might see equal values of other writes"},
	};
	unsigned effort = s->options->effort < NORN_BUILTIN_EFFORT ? NORN_BUILTIN_EFFORT : s->options->effort * 4;
	for (unsigned i = 0; i < NORN_BUILTIN_LIMITS; i++)
		if (s->limits[i])
			norn_findings_partial(f, NORN_REASON_LIMIT, s->limits[i],
			        norn_findings_text(f, "more effort may help (--effort %u)", effort), "%llu %s %s",
			        (unsigned long long)s->limits[i], s->limits[i] == 1 ? sentences[i].one : sentences[i].many,
			        sentences[i].rest);
}

int norn_builtin_driver(struct norn_run *run, const struct norn_graph *graph, const struct norn_builtin_driver_options *options,
        struct norn_findings *f, struct norn_error *err)
{
	struct timespec start;
	struct norn_builtin_driver_sites s;
	uint64_t events = 0, refused = f->stats.refused;
	clock_gettime(CLOCK_MONOTONIC, &start);
	norn_builtin_driver_sites_init(&s, run, options);
	const struct norn_trace *recorded = norn_run_recorded(run);
	bool lost = recorded && norn_trace_header(recorded)->lost_events;
	lost |= graph && norn_graph_lost(graph);
	norn_run_until_loss(run, lost);
	int r = driver(&s, run, lost ? NULL : graph, &events, f, err);
	norn_run_until_loss(run, false);
	if (r == -ECANCELED) /* what was found so far stays */
		r = 0;
	if (r == 0 && lost)
		say_lost(f, events);
	if (lost)
		norn_judged_pairs_doubt(f, NORN_PAIR_LOST);
	if (norn_run_unplaced(run))
		norn_judged_pairs_doubt(f, NORN_PAIR_TRACE);
	if (r == 0)
		norn_unseen_say(&s.unseen, recorded, false, f);
	if (r == 0 && s.barred && recorded)
		norn_unseen_say_barred(recorded, s.barred, f);
	if (r == 0 && s.freed_pointer.read && recorded)
		norn_say_freed_pointer(recorded, s.freed_pointer.freed, s.freed_pointer.read, f);
	if (r == 0 && s.doubted.read && recorded)
		norn_say_doubted_assertion(recorded, s.doubted.read, s.doubted.places, f);
	if (r == 0 && s.jobs && recorded)
		norn_unseen_say_jobs(recorded, s.jobs, f);
	norn_builtin_driver_sites_done(&s);
	if (r == 0)
		norn_builtin_driver_refused(f, f->stats.refused - refused);
	if (r == 0 && s.inexact)
		norn_findings_inexact(f, s.inexact->name);
	if (r == 0 && !norn_interrupted())
		say_limits(&s, f);
	if (r == -EOVERFLOW)
		norn_error_set(err, r, "it has more threads than can be told apart");
	if (r != 0)
		return r;
	events = graph && norn_graph_count(graph) > events ? norn_graph_count(graph) : events;
	f->stats.events = events > f->stats.events ? events : f->stats.events;
	norn_builtin_driver_losses(f, run);
	f->stats.seconds += norn_seconds_since(&start);
	return 0;
}
