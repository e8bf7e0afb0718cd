/* All runs of one instance, of one property or of several that share its lattice. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/interrupt.h"
#include "predict/search.h"

#define PROBE_CUTS 200000u /* of one probe */

/* ---- what events mean ---- */

const struct norn_position *norn_instance_search_position(const struct norn_instance_search *i, struct norn_lattice_event event)
{
	if (event.thread == NORN_LATTICE_BEGIN)
		return i->search->start;
	return norn_projection_event(&i->projection, event.thread, event.k)->position;
}

static int apply(void *context, uint32_t valuation, struct norn_lattice_event event, uint32_t *ret_valuation)
{
	struct norn_instance_search *i = context;
	i->looked = NULL;
	*ret_valuation = norn_valuation_table_next(&i->valuations, valuation, norn_instance_search_position(i, event));
	return 0;
}

/* The event at this valuation, once for all monitors. */
static void look(struct norn_instance_search *i, uint32_t valuation, const struct norn_position *position)
{
	if (i->looked == position && i->looked_at == valuation)
		return;
	norn_valuation_table_moment(&i->valuations, valuation, position);
	i->looked = position;
	i->looked_at = valuation;
}

static enum norn_lattice_position letter(void *context, uint32_t monitor, uint32_t before, uint32_t after,
        struct norn_lattice_event event, uint64_t *ret_letter, uint64_t *ret_unknown)
{
	struct norn_instance_search *i = context;
	const struct norn_searched_property *p = i->properties[monitor];
	struct norn_letter_cache *cache = &i->letters[monitor];
	bool begin = event.thread == NORN_LATTICE_BEGIN;
	const struct norn_projected *kept = begin ? NULL : norn_projection_event(&i->projection, event.thread, event.k);
	struct norn_letter l;
	if (begin && !p->property->states)
		return NORN_LATTICE_NO_POSITION;
	enum norn_letter_cache_answer answer =
	        begin ? NORN_LETTER_CACHE_UNKNOWN : norn_letter_cache_get(cache, kept->index, after, &l);
	if (answer == NORN_LETTER_CACHE_UNKNOWN) {
		look(i, before, begin ? i->search->start : kept->position);
		bool is_one = norn_stepped_letter(p->view, &i->valuations.moment, i->keys, &l);
		if (!begin)
			norn_letter_cache_put(cache, kept->position, kept->index, after, is_one ? &l : NULL);
		answer = is_one ? NORN_LETTER_CACHE_LETTER : NORN_LETTER_CACHE_NONE;
	}
	if (answer == NORN_LETTER_CACHE_NONE)
		return NORN_LATTICE_NO_POSITION;
	*ret_letter = l.yes;
	*ret_unknown = l.unknown;
	return l.sure ? NORN_LATTICE_POSITION : NORN_LATTICE_MAYBE;
}

/* Violations at the same line are the same. */
static uint64_t kind(void *context, uint32_t monitor, struct norn_lattice_event event)
{
	(void)monitor;
	return event.thread == NORN_LATTICE_BEGIN ? 0 : norn_instance_search_position(context, event)->site;
}

static bool renumber_begin(void *context)
{
	return norn_valuation_table_renumber(&((struct norn_instance_search *)context)->valuations);
}

static uint32_t rename_valuation(void *context, uint32_t valuation)
{
	return norn_valuation_table_rename(&((struct norn_instance_search *)context)->valuations, valuation);
}

static int renumber_end(void *context)
{
	struct norn_instance_search *i = context;
	norn_valuation_table_renumbered(&i->valuations);
	for (uint32_t m = 0; m < i->count; m++)
		norn_letter_cache_forget(&i->letters[m]);
	i->looked = NULL;
	return 0;
}

struct norn_lattice_model norn_instance_search_model(struct norn_instance_search *i)
{
	return (struct norn_lattice_model){.context = i,
	        .initial = 0,
	        .apply = apply,
	        .letter = letter,
	        .kind = kind,
	        .renumber_begin = renumber_begin,
	        .rename = rename_valuation,
	        .renumber_end = renumber_end};
}

static uint64_t own_bytes(const struct norn_instance_search *i)
{
	uint64_t bytes = norn_valuation_table_bytes(&i->valuations);
	for (uint32_t m = 0; m < i->count; m++)
		bytes += norn_letter_cache_bytes(&i->letters[m]);
	return bytes;
}

/* The lattice counts its own memory only. Projected positions count while the run is observed: later they are there anyway. */
static bool has_room(void *context, const struct norn_lattice_progress *progress)
{
	const struct norn_instance_search *i = context;
	const struct norn_property_search *s = i->search;
	if (s->options.progress)
		s->options.progress(s->options.context);
	uint64_t kept = s->live ? s->kept_bytes : 0;
	if (norn_interrupted())
		return false;
	return !s->options.max_memory || own_bytes(i) + kept + progress->memory <= s->options.max_memory;
}

/* ---- life ---- */

/* Columns of the threads that are known by now, in the order of their numbers. */
static void make_columns(struct norn_projection *p, const struct norn_projected_list *events)
{
	bool *has = NULL;
	uint32_t threads = 0, room = 0;
	for (uint32_t i = 0; i < events->count; i++) {
		uint32_t thread = events->items[i]->thread;
		if (thread >= threads) {
			norn_must_grow(&has, thread + UINT64_C(1), &room, sizeof *has);
			memset(has + threads, 0, (thread + 1 - threads) * sizeof *has);
			threads = thread + 1;
		}
		has[thread] = true;
	}
	for (uint32_t t = 0; t < threads; t++)
		if (has[t])
			norn_projection_column(p, t);
	free(has);
}

struct norn_instance_search *norn_instance_search_new(struct norn_property_search *search,
        struct norn_searched_property *const *properties, uint32_t count, const struct norn_value *keys,
        const struct norn_projected_list *events)
{
	struct norn_instance_search *i = norn_must_calloc(1, sizeof *i);
	*i = (struct norn_instance_search){.search = search, .properties = properties, .count = count, .keys = keys};
	i->letters = norn_must_calloc(count, sizeof *i->letters);
	for (uint32_t m = 0; m < count; m++)
		norn_letter_cache_init(&i->letters[m], properties[m]->view);
	norn_valuation_table_init(&i->valuations, search->binding, search->start);
	make_columns(&i->projection, events);
	for (uint32_t k = 0; k < events->count; k++)
		norn_projection_add(&i->projection, events->items[k]);
	i->events = search->live ? NULL : events;
	return i;
}

static void free_lattice(struct norn_instance_search *i)
{
	norn_lattice_free(i->lattice);
	i->lattice = NULL;
	norn_valuation_table_done(&i->valuations);
	for (uint32_t m = 0; m < i->count; m++)
		norn_letter_cache_done(&i->letters[m]);
}

void norn_instance_search_free(struct norn_instance_search *i)
{
	if (!i)
		return;
	free_lattice(i);
	free(i->letters);
	norn_projection_done(&i->projection);
	free(i->bounds);
	free(i);
}

/* ---- the lattice ---- */

static uint64_t place_of(const struct norn_projected *kept)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < kept->entries; i++)
		sum += kept->clock[i].count;
	return kept->number ? kept->number : sum;
}

/* Adds an event of the projection to the lattice. clock has room for all columns. */
static int add_to_lattice(struct norn_instance_search *i, const struct norn_projected *kept, uint32_t *clock)
{
	norn_projection_clock(&i->projection, kept, clock);
	uint32_t column = i->projection.column_of[kept->thread] - 1;
	return norn_lattice_add(i->lattice, column, clock, i->projection.columns.count, place_of(kept));
}

/* In the order in which they were kept. */
static int add_all(struct norn_instance_search *i)
{
	uint32_t columns = i->projection.columns.count, *clock = norn_must_alloc(columns, sizeof *clock);
	uint32_t *next = norn_must_calloc(columns, sizeof *next);
	int r = 0;
	for (uint64_t left = i->projection.events; r == 0 && left; left--) {
		const struct norn_projected *first = NULL;
		uint32_t at = 0;
		for (uint32_t c = 0; c < columns; c++) {
			const struct norn_projected_list *events = &i->projection.columns.items[c].events;
			if (next[c] < events->count && (!first || events->items[next[c]]->index < first->index)) {
				first = events->items[next[c]];
				at = c;
			}
		}
		next[at]++;
		r = add_to_lattice(i, first, clock);
	}
	free(clock);
	free(next);
	return r;
}

int norn_instance_search_begin(struct norn_instance_search *i)
{
	const struct norn_property_search_options *o = &i->search->options;
	struct norn_lattice_model model = norn_instance_search_model(i);
	struct norn_lattice_options options = {.workers = i->search->live && i->keys ? 1 : o->workers,
	        .max_cuts = o->max_cuts,
	        .max_memory = o->max_memory,
	        .beam = o->beam,
	        .context = i,
	        .progress = has_room,
	        .visit = i->picture ? norn_search_picture_node : NULL,
	        .violations = o->all ? NORN_SEARCH_VIOLATIONS : 1};
	struct norn_stepper *steppers = norn_must_alloc(i->count, sizeof *steppers);
	for (uint32_t m = 0; m < i->count; m++)
		steppers[m] = norn_stepper_of(i->properties[m]->monitor, i->properties[m]->property, true);
	int r = norn_lattice_new(&model, steppers, i->count, &options, &i->lattice);
	free(steppers);
	for (uint32_t c = 0; r == 0 && c < i->projection.columns.count; c++)
		r = norn_lattice_thread(i->lattice, c);
	return r == 0 ? add_all(i) : r;
}

int norn_instance_search_add(struct norn_instance_search *i, const struct norn_projected *kept)
{
	if (!i->lattice || norn_lattice_is_over(i->lattice))
		return 0;
	uint32_t columns = i->projection.columns.count, at = norn_projection_column(&i->projection, kept->thread);
	const struct norn_projected_list *events = &i->projection.columns.items[at].events;
	if (events->count && events->items[events->count - 1] == kept)
		return 0;
	int r = at == columns ? norn_lattice_thread(i->lattice, at) : 0;
	if (r != 0)
		return r;
	norn_projection_add(&i->projection, kept);
	uint32_t *clock = norn_must_alloc(i->projection.columns.count, sizeof *clock);
	r = add_to_lattice(i, kept, clock);
	free(clock);
	return r;
}

/* ---- violations ---- */

/* "2 of 3 runs violate it; 6 cuts in 4 levels" */
static const char *extent_of(const struct norn_instance_search *i, uint32_t monitor)
{
	const struct norn_lattice_result *result = norn_lattice_result(i->lattice);
	struct norn_findings *findings = i->search->findings;
	const char *text = "";
	if (result->counted) {
		char *runs = norn_bignum_text(&result->runs), *violating = norn_bignum_text(&result->monitors[monitor].violating);
		text = norn_findings_text(findings, "%s of %s runs that this run stands for violate it; ", violating, runs);
		free(runs);
		free(violating);
	}
	return norn_findings_text(findings, "%s%llu cuts in %llu levels%s", text, (unsigned long long)result->cuts,
	        (unsigned long long)result->levels, i->finished ? "" : " so far");
}

/* The last event that came before the violating one when the program ran, and has not happened yet in the violating run; at another
 * site, or it would be the same step of another thread. NULL: there is none, or not all that came before has arrived. */
static const struct norn_position *missed_of(const struct norn_instance_search *i, const struct norn_lattice_violation *v)
{
	const struct norn_projection *p = &i->projection;
	const struct norn_projected *missed = NULL;
	const struct norn_projected *last =
	        v->length ? norn_projection_event(p, v->events[v->length - 1].thread, v->events[v->length - 1].k) : NULL;
	if (!last || !last->number || last->number > i->search->complete_to)
		return NULL;
	uint32_t *cut = norn_must_calloc(p->columns.count, sizeof *cut);
	for (uint64_t k = 0; k < v->length; k++)
		cut[v->events[k].thread]++;
	for (uint32_t c = 0; c < p->columns.count; c++)
		for (uint32_t k = cut[c]; k < p->columns.items[c].events.count; k++) {
			const struct norn_projected *e = norn_projection_event(p, c, k);
			if (e->number < last->number && e->position->site != last->position->site &&
			        (!missed || e->number > missed->number))
				missed = e;
		}
	free(cut);
	return missed ? missed->position : NULL;
}

int norn_instance_search_show(
        struct norn_instance_search *i, const struct norn_lattice_violation *v, bool more, struct norn_error *err)
{
	const struct norn_searched_property *p = i->properties[v->monitor];
	const struct norn_position **steps = norn_must_alloc(v->length, sizeof(*steps));
	for (uint64_t k = 0; k < v->length; k++)
		steps[k] = norn_instance_search_position(i, v->events[k]);
	struct norn_candidate candidate = {.binding = i->search->binding,
	        .sources = i->search->sources,
	        .view = p->view,
	        .monitor = p->monitor,
	        .keys = i->keys,
	        .start = i->search->start,
	        .order = p->order,
	        .steps = steps,
	        .count = (uint32_t)v->length,
	        .missed = missed_of(i, v),
	        .at_end = v->at_end,
	        .more = more,
	        .extent = extent_of(i, v->monitor)};
	int r = i->search->found(i, v, &candidate, err);
	free(steps);
	return r;
}

static int show_new(struct norn_instance_search *i, struct norn_error *err)
{
	const struct norn_lattice_result *result = norn_lattice_result(i->lattice);
	int r = 0;
	while (r == 0 && i->shown < result->violation_count)
		r = norn_instance_search_show(i, &result->violations[i->shown++], false, err);
	return r;
}

void norn_instance_search_candidate(
        const struct norn_instance_search *i, const struct norn_searched_property *p, struct norn_candidate *candidate)
{
	struct norn_property_search *s = i->search;
	uint64_t *relevant = norn_must_arena_alloc(&s->arena, (i->events->count + 1ul) * sizeof *relevant);
	for (uint32_t k = 0; k < i->events->count; k++)
		relevant[k] = i->events->items[k]->position->number;
	candidate->binding = s->binding;
	candidate->sources = s->sources;
	candidate->view = p->view;
	candidate->monitor = p->monitor;
	candidate->keys = i->keys;
	candidate->start = s->start;
	candidate->relevant = relevant;
	candidate->relevant_count = i->events->count;
	candidate->order = p->order;
	norn_candidates_add(&s->candidates, candidate);
}

/* ---- the search ---- */

static int failed(const struct norn_instance_search *i, int r, struct norn_error *err)
{
	return norn_error_set(
	        err, r, "the lattice of property %s could not be searched: %s", i->properties[0]->property->name, strerror(-r));
}

int norn_instance_search_advance(struct norn_instance_search *i, struct norn_error *err)
{
	int r = norn_lattice_advance(i->lattice);
	return r == 0 ? show_new(i, err) : failed(i, r, err);
}

int norn_instance_search_probe(struct norn_instance_search *i, struct norn_error *err)
{
	if (norn_lattice_events(i->lattice) == i->probed)
		return 0;
	i->probed = norn_lattice_events(i->lattice);
	int r = norn_lattice_probe(i->lattice, PROBE_CUTS);
	return r == 0 ? show_new(i, err) : failed(i, r, err);
}

int norn_instance_search_finish(struct norn_instance_search *i, bool ended, struct norn_error *err)
{
	assert(i->lattice && !i->finished);
	i->finished = true;
	int r = norn_lattice_finish(i->lattice, ended);
	if (r != 0)
		return failed(i, r, err);
	i->search->findings->stats.cuts += norn_lattice_result(i->lattice)->cuts;
	return 0;
}

static void say_limit(const struct norn_instance_search *i, const struct norn_property *property)
{
	const struct norn_lattice_result *result = norn_lattice_result(i->lattice);
	struct norn_findings *findings = i->search->findings;
	if (result->limit == NORN_LATTICE_COMPLETE || norn_interrupted())
		return;
	const char *option = result->limit == NORN_LATTICE_STOPPED ? "max-memory" : norn_lattice_limit_name(result->limit);
	norn_findings_partial(findings, NORN_REASON_LIMIT, 1, norn_findings_text(findings, "give it more (--%s)", option),
	        "property %s: the search was cut short by --%s at level %llu, after %llu cuts", property->name, option,
	        (unsigned long long)result->limit_level, (unsigned long long)result->cuts);
}

static bool is_inevitable(const struct norn_lattice_result *result, uint32_t monitor)
{
	const struct norn_bignum *runs = &result->runs, *violating = &result->monitors[monitor].violating;
	return result->limit == NORN_LATTICE_COMPLETE && result->counted && runs->count == violating->count &&
	       memcmp(runs->limbs, violating->limbs, runs->count * sizeof *runs->limbs) == 0;
}

int norn_instance_search_report(struct norn_instance_search *i, struct norn_error *err)
{
	assert(i->finished);
	struct norn_findings *findings = i->search->findings;
	uint32_t before = i->search->candidates.count;
	int r = show_new(i, err);
	for (uint32_t m = 0; r == 0 && m < i->count && i->search->options.all && !i->search->live; m++)
		r = norn_search_counterexamples(i, m, err);
	for (uint32_t m = 0; m < i->count; m++) {
		if (is_inevitable(norn_lattice_result(i->lattice), m))
			norn_certain_after_all(i->properties[m], i->keys, findings);
		say_limit(i, i->properties[m]->property);
	}
	for (uint32_t k = 0; k < i->finding_count; k++)
		findings->list[i->findings[k]].extent = extent_of(i, 0);
	if (r == 0 && i->picture)
		norn_search_picture_show(i, before, norn_lattice_result(i->lattice));
	free_lattice(i);
	return r;
}
