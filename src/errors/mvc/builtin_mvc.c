#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/elapsed.h"
#include "base/must.h"
#include "base/map.h"
#include "causality/prefix_state.h"
#include "witness/check_witnesses.h"
#include "finding/predicted_errors.h"
#include "errors/race.h"
#include "errors/mvc/event_window.h"
#include "errors/mvc/memory_order.h"
#include "errors/site_facts.h"
#include "errors/builtin_driver.h"
#include "errors/mvc/hb_races.h"
#include "trace/merge.h"
#include "trace/site.h"

#define TRIES 8u /* pairs of two code positions that are looked at closely, before they get fewer */
#define MORE_TRIES 32u
#define FAR 2u /* pairs too far apart for that, of which the nearest are looked at in another pass */
#define AT_ONCE 4u /* of these */
#define BYTES 128u /* per event of a graph and what is made of it */
#define DELAY 18u /* events that are read ahead, so that memory has time to bring what they access */

struct far {
	uint64_t first, second;
	uint32_t site_pair;
};

/* Two code positions with pairs that nothing orders. */
struct site_pair {
	uint64_t seen;
	uint32_t tries;
	bool frees, found;
	bool suspected; /* found, if calls of code without hooks are harmless */
	struct far far[FAR]; /* nearest first; second 0: none */
};

/* A pair that was proved. */
struct proof {
	struct norn_graph *graph;
	struct norn_predictions predictions;
	uint32_t site_pair;
	uint64_t first;
};

struct mvc_search {
	struct norn_run *run;
	const struct norn_builtin_driver_options *options;
	struct norn_findings *findings;
	struct norn_builtin_driver_sites sites;
	struct norn_hb_races *races;
	struct norn_event_window *window;
	struct norn_map numbers; /* places → 1 + index */
	struct norn_map places; /* site → its place */
	NORN_VECTOR(struct site_pair) suspects;
	NORN_VECTOR(struct proof) proofs;
	uint64_t number; /* events so far */
	uint64_t looked; /* events of graphs that were made */
	bool lost, skipped;
};

/* The sites of a text have no facts that a graph uses. */
static norn_graph_lookup *lookup_of(const struct mvc_search *q)
{
	return q->sites.text ? NULL : norn_builtin_driver_sites_look_up;
}

/* ---- suspects ---- */

static uint32_t place_of(struct mvc_search *q, uint32_t site)
{
	uint32_t *place = norn_must_map_put(&q->places, site);
	if (*place == 0) {
		struct norn_graph_site info;
		norn_builtin_driver_sites_look_up(&q->sites, site, &info);
		/* Numbers of places are small, those of sites are not. */
		*place = info.place ? info.place : site;
	}
	return *place;
}

static uint32_t get_suspect(struct mvc_search *q, const struct norn_hb_races_pair *pair)
{
	uint32_t a = place_of(q, pair->site), b = place_of(q, pair->other);
	uint32_t low = a < b || pair->frees ? a : b, high = a < b || pair->frees ? b : a;
	uint32_t *index = norn_must_map_put(&q->numbers, (uint64_t)low << 32 | (uint64_t)pair->frees << 31 | high);
	if (*index == 0) {
		norn_must_push(&q->suspects, (struct site_pair){.frees = pair->frees});
		*index = q->suspects.count;
	}
	return *index - 1;
}

/* ---- proofs ---- */

/* A pair that comes one after the other, and only for want of a memory order is a race (S20)? */
static bool find_missing_order(const struct norn_graph *graph, uint32_t first, uint32_t second, struct norn_predictions *p)
{
	struct norn_missing_order missing;
	if (first <= norn_graph_carried(graph) || !norn_memory_order_missing(graph, first, second, &missing))
		return false;
	norn_memory_order_add(graph, first, second, &missing, p);
	return true;
}

/* Takes over the graph: the proof owns it, or it is freed. */
static void prove(struct mvc_search *q, struct norn_graph *graph, uint64_t first, uint64_t second, uint32_t site_pair)
{
	const struct norn_builtin_options options = {.what = NORN_BUILTIN_RACE | NORN_BUILTIN_FREE, .keeps_order = true};
	struct site_pair *s = q->suspects.items + site_pair;
	struct norn_predictions p = {0};
	uint64_t offset = norn_graph_until(graph, norn_graph_carried(graph)) - norn_graph_carried(graph);
	uint32_t one = (uint32_t)(first - offset), other = (uint32_t)(second - offset);
	q->looked += norn_graph_count(graph);
	struct norn_attempt_runner *attempt_runner = norn_attempt_runner_new(graph, &options, &p);
	/* In a forged trace a thread may go on after its end and the join: its clock is another one then, and the thread is not. */
	bool apart = norn_graph_event(graph, one)->thread != norn_graph_event(graph, other)->thread;
	bool found = apart && norn_races_try(attempt_runner, graph, one, other, s->frees);
	norn_attempt_runner_free(attempt_runner);
	found |= apart && !p.count && find_missing_order(graph, one, other, &p);
	q->skipped |= norn_builtin_limited(&p.stats);
	if (found)
		norn_check_witnesses(graph, &p, &q->findings->stats.refused);
	bool sure = p.count && p.list[0].assumed_count == 0;
	if (p.count && !sure && s->suspected)
		norn_predictions_done(&p);
	if (p.count) {
		s->found = sure;
		s->suspected = true;
		norn_must_push(&q->proofs, (struct proof){graph, p, site_pair, first});
		return;
	}
	norn_predictions_done(&p);
	norn_graph_free(graph);
}

/* A pair beyond the window: the nearest of each two places are kept for the second pass. */
static void put_off(struct site_pair *s, uint32_t site_pair, uint64_t first, uint64_t second)
{
	struct far far = {first, second, site_pair};
	for (unsigned i = 0; i < FAR; i++)
		if (s->far[i].second == 0 || s->far[i].second - s->far[i].first > far.second - far.first) {
			struct far t = s->far[i];
			s->far[i] = far;
			far = t;
			if (far.second == 0)
				return;
		}
}

/* The first few, then every one that doubles their number. */
static bool wanted(const struct site_pair *s)
{
	return s->tries < TRIES || (s->tries < MORE_TRIES && (s->seen & (s->seen - 1)) == 0);
}

static int take(void *context, const struct norn_hb_races_pair *pair)
{
	struct mvc_search *q = context;
	struct norn_graph *graph;
	uint32_t number = get_suspect(q, pair);
	struct site_pair *s = q->suspects.items + number;
	s->seen++;
	if (s->found || !wanted(s))
		return 0;
	int r = norn_event_window_slice(q->window, pair->first, lookup_of(q), &q->sites, &graph);
	if (r == 0)
		put_off(s, number, pair->first, pair->second);
	if (r != 1)
		return r;
	s->tries++;
	prove(q, graph, pair->first, pair->second, number);
	return 0;
}

/* ---- the first pass ---- */

static int event(struct mvc_search *q, const struct norn_event *e)
{
	q->number++;
	q->lost |= e->kind == NORN_EVENT_LOST;
	norn_event_window_event(q->window, e);
	int r = norn_hb_races_event(q->races, e, q->number);
	return r == 0 ? norn_builtin_driver_tell(q->options, q->run, q->number) : r;
}

/* A ring of events that were read ahead. */
struct events_ahead {
	struct norn_event events[DELAY];
	const void *expected[DELAY];
	uint64_t read;
};

static void expect(struct mvc_search *q, struct events_ahead *a)
{
	a->expected[a->read % DELAY] = norn_hb_races_expect(q->races, &a->events[a->read % DELAY]);
	for (uint64_t stage = 1; stage < 3; stage++)
		if (a->read >= q->number + stage * (DELAY / 3)) {
			uint64_t i = (a->read - stage * (DELAY / 3)) % DELAY;
			norn_hb_races_expect_more(q->races, a->expected[i], a->events[i].thread, stage == 2);
		}
}

static int go_through(struct mvc_search *q, struct norn_error *err)
{
	struct events_ahead a = {.read = 0};
	int r = 0, more = 1;
	while (r == 0 && (more == 1 || q->number < a.read)) {
		/* Memory that an event points to holds until the next one is read; none of it is wanted here. */
		if (more == 1 && a.read - q->number < DELAY &&
		        (more = norn_run_next(q->run, &a.events[a.read % DELAY], err)) == 1) {
			expect(q, &a);
			a.read++;
		}
		if (more < 0)
			return more;
		if (a.read - q->number == DELAY || (more == 0 && q->number < a.read))
			r = event(q, &a.events[q->number % DELAY]);
	}
	return r;
}

static int first_pass(struct mvc_search *q, unsigned patience, struct norn_error *err)
{
	q->races = norn_hb_races_new(lookup_of(q), &q->sites, take, q);
	q->window = norn_event_window_new();
	norn_run_begin(q->run, patience);
	int r = go_through(q, err);
	norn_hb_races_free(q->races);
	norn_event_window_free(q->window);
	q->races = NULL;
	q->window = NULL;
	return r;
}

/* ---- pairs that are far apart ---- */

struct far_pass {
	struct mvc_search *q;
	struct far *list; /* by first */
	uint32_t count, next;
	struct norn_prefix *prefix;
	struct active {
		struct norn_graph_builder *builder; /* NULL: none */
		const struct far *far;
	} active[AT_ONCE];
};

static int by_first(const void *a, const void *b)
{
	const struct far *x = a, *y = b;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return (x->second > y->second) - (x->second < y->second);
}

static void collect_far(struct far_pass *p)
{
	struct mvc_search *q = p->q;
	uint64_t longest = q->options->max_memory ? q->options->max_memory / AT_ONCE / BYTES : UINT32_MAX / 4;
	uint64_t budget = q->number * AT_ONCE;
	p->list = norn_must_alloc(q->suspects.count * (uint64_t)FAR, sizeof *p->list);
	for (unsigned k = 0; k < FAR; k++)
		for (uint32_t i = 0; i < q->suspects.count; i++) {
			const struct site_pair *s = q->suspects.items + i;
			const struct far *far = &s->far[k];
			uint64_t length = far->second - far->first;
			if (s->found || far->second == 0)
				continue;
			if (length > longest || length > budget) {
				q->skipped = true;
				continue;
			}
			budget -= length;
			p->list[p->count++] = *far;
		}
	qsort(p->list, p->count, sizeof *p->list, by_first);
}

/* Graphs begin before this event. */
static int begin_far(struct far_pass *p, uint64_t number)
{
	int r = 0;
	for (; r == 0 && p->next < p->count && p->list[p->next].first == number; p->next++) {
		struct active *a = p->active;
		while (a < p->active + AT_ONCE && a->builder)
			a++;
		if (p->q->suspects.items[p->list[p->next].site_pair].found || a == p->active + AT_ONCE) {
			p->q->skipped |= a == p->active + AT_ONCE;
			continue;
		}
		a->far = &p->list[p->next];
		a->builder = norn_graph_builder_new(lookup_of(p->q), &p->q->sites, NULL);
		uint32_t count;
		struct norn_prefix_event *list = norn_prefix_list(p->prefix, &count);
		r = norn_prefix_begin(list, count, number - 1, a->builder);
		free(list);
	}
	return r;
}

static int go_on(struct far_pass *p, struct active *a, const struct norn_event *e, uint64_t number, bool odd)
{
	int r = norn_graph_add(a->builder, e);
	if (r < 0)
		return r;
	if (odd)
		norn_graph_odd(a->builder);
	if (number < a->far->second)
		return 0;
	struct norn_graph *graph = norn_graph_finish(a->builder);
	norn_graph_builder_free(a->builder);
	a->builder = NULL;
	prove(p->q, graph, a->far->first, a->far->second, a->far->site_pair);
	return 0;
}

static bool is_active(const struct far_pass *p)
{
	for (unsigned i = 0; i < AT_ONCE; i++)
		if (p->active[i].builder)
			return true;
	return p->next < p->count;
}

static int far_events(struct far_pass *p, struct norn_error *err)
{
	struct norn_event e;
	int r = 0;
	for (uint64_t number = 1; is_active(p) && r == 0 && (r = norn_run_next(p->q->run, &e, err)) == 1; number++) {
		r = begin_far(p, number);
		bool odd = norn_prefix_event(p->prefix, &e);
		for (unsigned i = 0; i < AT_ONCE && r == 0; i++)
			if (p->active[i].builder)
				r = go_on(p, &p->active[i], &e, number, odd);
		if (r == 0)
			r = norn_builtin_driver_tell(p->q->options, p->q->run, number);
	}
	return r;
}

static int second_pass(struct mvc_search *q, unsigned patience, struct norn_error *err)
{
	struct far_pass p = {.q = q};
	int r = 0;
	collect_far(&p);
	if (p.count) {
		p.prefix = norn_prefix_new(q->suspects.count + 4096u);
		norn_run_begin(q->run, patience);
		r = far_events(&p, err);
	}
	for (unsigned i = 0; i < AT_ONCE; i++)
		norn_graph_builder_free(p.active[i].builder);
	norn_prefix_free(p.prefix);
	free(p.list);
	return r;
}

/* ---- findings ---- */

static int by_place(const void *a, const void *b)
{
	const struct proof *x = a, *y = b;
	if (x->predictions.list[0].kind != y->predictions.list[0].kind)
		return x->predictions.list[0].kind < y->predictions.list[0].kind ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

static int describe(struct mvc_search *q, struct norn_trace *trace)
{
	struct norn_findings *f = q->findings;
	int r = 0;
	if (q->proofs.count)
		qsort(q->proofs.items, q->proofs.count, sizeof *q->proofs.items, by_place);
	for (uint32_t i = 0; i < q->proofs.count && r == 0; i++) {
		struct proof *p = &q->proofs.items[i];
		uint32_t before = f->count;
		for (uint32_t k = 0; k < p->predictions.count; k++)
			p->predictions.list[k].pairs = q->suspects.items[p->site_pair].seen;
		r = norn_describe(trace, p->graph, p->predictions.list, p->predictions.count, NULL, f, NULL);
		for (uint32_t k = before; k < f->count; k++)
			f->list[k].causality = "mvc";
	}
	return r;
}

/* Marks the sites that findings may show. */
static uint64_t *wanted_sites(const struct mvc_search *q)
{
	uint32_t count = norn_rapid_text_sites(q->sites.text);
	uint64_t *wanted = norn_must_calloc(count / 64 + 1ul, sizeof *wanted);
	for (uint32_t i = 0; i < q->proofs.count; i++) {
		const struct norn_graph *graph = q->proofs.items[i].graph;
		const struct norn_graph_event *events = norn_graph_events(graph);
		for (uint32_t n = 1; n <= norn_graph_count(graph); n++) {
			uint32_t site = events[n].site - NORN_SITE_FIRST;
			if (events[n].site >= NORN_SITE_FIRST && site < count)
				wanted[site / 64] |= UINT64_C(1) << site % 64;
		}
	}
	return wanted;
}

static int describe_all(struct mvc_search *q, struct norn_error *err)
{
	struct norn_trace *trace;
	uint64_t *wanted = q->sites.text ? wanted_sites(q) : NULL;
	int r = norn_run_names(q->run, wanted, &trace, err);
	free(wanted);
	return r == 0 ? describe(q, trace) : r;
}

static int conclude(struct mvc_search *q, struct norn_error *err)
{
	struct norn_findings *f = q->findings;
	f->stats.events = q->number > f->stats.events ? q->number : f->stats.events;
	norn_builtin_driver_losses(f, q->run);
	if (q->lost) {
		norn_builtin_driver_refuse_lost(f);
		return 0;
	}
	int r = q->proofs.count ? describe_all(q, err) : 0;
	if (r == 0 && q->skipped) {
		norn_findings_partial(f, NORN_REASON_MEMORY, 1, "allow more memory (--max-memory)",
		        "some accesses that nothing orders lie too far apart to be looked at closely; there may be more errors "
		        "than "
		        "were found");
	}
	return r;
}

static void done(struct mvc_search *q)
{
	for (uint32_t i = 0; i < q->proofs.count; i++) {
		norn_predictions_done(&q->proofs.items[i].predictions);
		norn_graph_free(q->proofs.items[i].graph);
	}
	norn_vector_done(&q->proofs);
	norn_vector_done(&q->suspects);
	norn_map_done(&q->numbers);
	norn_map_done(&q->places);
	norn_builtin_driver_sites_done(&q->sites);
}

static void init(
        struct mvc_search *q, struct norn_run *run, const struct norn_builtin_driver_options *options, struct norn_findings *f)
{
	*q = (struct mvc_search){.run = run, .options = options, .findings = f};
	norn_map_init(&q->numbers, sizeof(uint32_t));
	norn_map_init(&q->places, sizeof(uint32_t));
	norn_builtin_driver_sites_init(&q->sites, run, options);
}

int norn_builtin_driver_mvc(
        struct norn_run *run, const struct norn_builtin_driver_options *options, struct norn_findings *f, struct norn_error *err)
{
	struct timespec start;
	struct mvc_search q;
	unsigned patience = NORN_MERGE_PATIENCE;
	uint64_t refused = f->stats.refused;
	clock_gettime(CLOCK_MONOTONIC, &start);
	init(&q, run, options, f);
	int r = first_pass(&q, patience, err);
	if (r == -ESTALE) { /* perhaps the recorder was starved: once more, however much memory it takes */
		done(&q);
		init(&q, run, options, f);
		patience = 0;
		r = first_pass(&q, patience, err);
	}
	if (r == 0)
		r = second_pass(&q, patience, err);
	if (r == 0 || r == -ECANCELED) /* what was found so far stays */
		r = conclude(&q, err);
	if (r == 0)
		norn_builtin_driver_refused(f, f->stats.refused - refused);
	if (r == -EOVERFLOW)
		norn_error_set(err, r, "it has more threads than can be told apart");
	done(&q);
	f->stats.seconds += norn_seconds_since(&start);
	return r;
}
