/* All runs of a computation, for one or several properties at once. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "predict/search_state.h"

#define VIOLATIONS_ALL 16u /* of different kinds, with `all` */

const struct norn_position *norn_search_model_position(const struct norn_search_model *m, struct norn_lattice_event e)
{
	if (e.thread == NORN_LATTICE_BEGIN)
		return m->forecast->start;
	return m->forecast->kept[norn_computation_payload(m->computation, e.thread, e.k)];
}

static int apply(void *context, uint32_t world, struct norn_lattice_event event, uint32_t *ret_world)
{
	struct norn_search_model *m = context;
	m->looked = NULL;
	return norn_valuation_table_next(&m->valuation_table, world, norn_search_model_position(m, event), ret_world);
}

/* What the event is in this world, once for all monitors. */
static int look(struct norn_search_model *m, uint32_t world, const struct norn_position *position)
{
	if (m->looked == position && m->looked_in == world)
		return 0;
	m->looked = NULL;
	int r = norn_valuation_table_look(&m->valuation_table, world, position);
	if (r == 0) {
		m->looked = position;
		m->looked_in = world;
	}
	return r;
}

static enum norn_lattice_position letter(void *context, uint32_t monitor, uint32_t before, uint32_t after,
        struct norn_lattice_event event, uint64_t *ret_letter, uint64_t *ret_unknown)
{
	struct norn_search_model *m = context;
	const struct norn_search_state *a = m->auguries[monitor];
	struct norn_letter_cache *shortcuts = &m->shortcuts[monitor];
	bool begin = event.thread == NORN_LATTICE_BEGIN;
	uint32_t payload = begin ? 0 : norn_computation_payload(m->computation, event.thread, event.k);
	const struct norn_position *position = norn_search_model_position(m, event);
	struct norn_letter l;
	if (begin && !a->property->states)
		return NORN_LATTICE_NO_POSITION;
	enum norn_letter_cache_entry_answer answer =
	        begin ? NORN_LETTER_CACHE_ENTRY_UNKNOWN : norn_letter_cache_get(shortcuts, payload, after, &l);
	if (answer == NORN_LETTER_CACHE_ENTRY_UNKNOWN) {
		/* Out of memory is noticed by apply, which does the same. */
		if (look(m, before, position) != 0)
			return NORN_LATTICE_NO_POSITION;
		bool is_one = norn_view_letter(a->view, &m->valuation_table.moment, m->keys, &l);
		if (!begin)
			norn_letter_cache_put(shortcuts, position, payload, after, is_one ? &l : NULL);
		answer = is_one ? NORN_LETTER_CACHE_ENTRY_LETTER : NORN_LETTER_CACHE_ENTRY_NONE;
	}
	if (answer == NORN_LETTER_CACHE_ENTRY_NONE)
		return NORN_LATTICE_NO_POSITION;
	*ret_letter = l.yes;
	*ret_unknown = l.unknown;
	return l.sure ? NORN_LATTICE_POSITION : NORN_LATTICE_MAYBE;
}

/* The lattice counts its own memory, but not that of the worlds. */
static bool has_room(void *context, const struct norn_lattice_progress *progress)
{
	const struct norn_search_model *m = context;
	uint64_t most = m->forecast->options.max_memory;
	size_t own = norn_valuation_table_bytes(&m->valuation_table);
	for (uint32_t i = 0; i < m->count; i++)
		own += norn_letter_cache_bytes(&m->shortcuts[i]);
	return !most || own + progress->memory <= most;
}

/* Violations at the same line are the same. */
static uint64_t kind(void *context, uint32_t monitor, struct norn_lattice_event event)
{
	(void)monitor;
	return event.thread == NORN_LATTICE_BEGIN ? 0 : norn_search_model_position(context, event)->site;
}

/* "2 of 3 runs violate it; 6 cuts in 4 levels" */
static const char *extent_of(const struct norn_lattice_result *result, uint32_t monitor, struct norn_findings *findings)
{
	const char *text = "";
	if (result->counted) {
		char *runs = norn_bignum_text(&result->runs), *wrong = norn_bignum_text(&result->monitors[monitor].violating);
		if (runs && wrong)
			text = norn_findings_text(findings, "%s of %s runs that this run stands for violate it; ", wrong, runs);
		free(runs);
		free(wrong);
	}
	return norn_findings_text(
	        findings, "%s%llu cuts in %llu levels", text, (unsigned long long)result->cuts, (unsigned long long)result->levels);
}

int norn_search_model_claim(const struct norn_search_model *m, const struct norn_projection *projection,
        const struct norn_search_state *a, struct norn_candidate *claim, struct norn_error *err)
{
	struct norn_property_search *f = m->forecast;
	uint64_t *relevant = norn_arena_alloc(&f->arena, (projection->count + 1ul) * sizeof *relevant);
	if (!relevant)
		return norn_error_no_memory(err);
	for (uint32_t i = 0; i < projection->count; i++)
		relevant[i] = f->kept[projection->payloads[i]]->number;
	claim->binding = f->binding;
	claim->sources = f->sources;
	claim->view = a->view;
	claim->monitor = a->monitor;
	claim->start = f->start;
	claim->relevant = relevant;
	claim->relevant_count = projection->count;
	claim->order = (uint32_t)(a - f->auguries);
	if (projection->keys) {
		size_t bytes = a->property->key_count * sizeof *projection->keys;
		struct norn_value *keys = norn_arena_alloc(&f->arena, bytes);
		if (!keys)
			return norn_error_no_memory(err);
		claim->keys = memcpy(keys, projection->keys, bytes);
	}
	return norn_candidates_add(&f->claims, claim) == 0 ? 0 : norn_error_no_memory(err);
}

/* The last event that came before the violating one when the program ran, and has not happened yet in the violating run; at another site, or it would be the
 * same thing done by someone else. */
static const struct norn_position *missed_of(const struct norn_search_model *m, const struct norn_lattice_violation *v)
{
	const struct norn_computation *c = m->computation;
	const struct norn_position *missed = NULL;
	const struct norn_position *last = v->length ? norn_search_model_position(m, v->events[v->length - 1]) : NULL;
	uint32_t *cut = v->length ? calloc(c->threads + 1ul, sizeof *cut) : NULL;
	for (uint64_t i = 0; cut && i < v->length; i++)
		cut[v->events[i].thread]++;
	for (uint32_t t = 0; cut && t < c->threads; t++)
		for (uint32_t k = cut[t]; k < c->events[t]; k++) {
			const struct norn_position *p = norn_search_model_position(m, (struct norn_lattice_event){t, k});
			if (p->number < last->number && p->site != last->site && (!missed || p->number > missed->number))
				missed = p;
		}
	free(cut);
	return missed;
}

/* Remembers a violating run until the recorded run has been looked at again. */
static int remember(const struct norn_search_model *m, const struct norn_projection *projection,
        const struct norn_lattice_violation *v, const char *extent, struct norn_error *err)
{
	const struct norn_position **steps = norn_arena_alloc(&m->forecast->arena, (v->length + 1) * sizeof(*steps));
	if (!steps)
		return norn_error_no_memory(err);
	for (uint64_t i = 0; i < v->length; i++)
		steps[i] = norn_search_model_position(m, v->events[i]);
	struct norn_candidate claim = {
	        .steps = steps, .count = (uint32_t)v->length, .missed = missed_of(m, v), .at_end = v->at_end, .extent = extent};
	return norn_search_model_claim(m, projection, m->auguries[v->monitor], &claim, err);
}

static bool is_inevitable(const struct norn_lattice_result *result, uint32_t monitor)
{
	const struct norn_bignum *runs = &result->runs, *wrong = &result->monitors[monitor].violating;
	return result->limit == NORN_LATTICE_COMPLETE && result->counted && runs->count == wrong->count &&
	       memcmp(runs->limbs, wrong->limbs, runs->count * sizeof *runs->limbs) == 0;
}

static int report(const struct norn_search_model *m, uint32_t monitor, const struct norn_projection *projection,
        const struct norn_lattice_result *result, struct norn_error *err)
{
	struct norn_findings *findings = m->findings;
	struct norn_search_state *a = m->auguries[monitor];
	int r = 0;
	const char *extent = extent_of(result, monitor, findings);
	if (is_inevitable(result, monitor))
		norn_certain_after_all(a, m->keys, findings);
	if (result->limit != NORN_LATTICE_COMPLETE) {
		findings->stats.complete = false;
		r = norn_findings_note(findings, "property %s: the search was cut short by --%s at level %llu, after %llu cuts",
		            a->property->name,
		            result->limit == NORN_LATTICE_STOPPED ? "max-memory" : norn_lattice_limit_name(result->limit),
		            (unsigned long long)result->limit_level, (unsigned long long)result->cuts) == 0
		            ? 0
		            : norn_error_no_memory(err);
	}
	for (uint32_t i = 0; r == 0 && i < result->violation_count; i++)
		if (result->violations[i].monitor == monitor)
			r = remember(m, projection, &result->violations[i], extent, err);
	return r;
}

/* ---- the walk ---- */

int norn_search_model_init(struct norn_search_model *m, const struct norn_projection *projection, struct norn_error *err)
{
	struct norn_computation *c;
	int r = norn_projection_computation(projection, &c, err);
	if (r != 0)
		return r;
	uint64_t *places = malloc((c->total + 1) * sizeof *places);
	m->shortcuts = calloc(m->count + 1ul, sizeof *m->shortcuts);
	for (uint64_t i = 0; places && i < c->total; i++)
		places[i] = m->forecast->kept[c->payloads[i]]->number;
	if (!places || !m->shortcuts ||
	        norn_valuation_table_init(&m->valuation_table, m->forecast->binding, m->forecast->start) != 0) {
		free(places);
		free(m->shortcuts);
		norn_computation_free(c);
		return norn_error_no_memory(err);
	}
	for (uint32_t i = 0; i < m->count; i++)
		norn_letter_cache_init(&m->shortcuts[i], m->auguries[i]->view, m->forecast->kept_count);
	m->places = places;
	m->computation = c;
	return 0;
}

void norn_search_model_done(struct norn_search_model *m)
{
	for (uint32_t i = 0; i < m->count; i++)
		norn_letter_cache_done(&m->shortcuts[i]);
	free(m->shortcuts);
	norn_valuation_table_done(&m->valuation_table);
	free(m->places);
	norn_computation_free(m->computation);
}

struct norn_lattice_model norn_search_model_lattice(struct norn_search_model *m)
{
	return (struct norn_lattice_model){
	        .context = m, .initial = 0, .apply = apply, .letter = letter, .kind = kind, .observed = m->places};
}

static int walk(struct norn_search_model *m, struct norn_lattice_result *ret_result, struct norn_error *err)
{
	const struct norn_property_search_options *o = &m->forecast->options;
	struct norn_lattice_model model = norn_search_model_lattice(m);
	struct norn_lattice_options options = {.workers = o->workers,
	        .max_cuts = o->max_cuts,
	        .max_memory = o->max_memory,
	        .beam = o->beam,
	        .context = m,
	        .progress = has_room,
	        .visit = m->picture ? norn_sketch_node : NULL,
	        .violations = o->all ? VIOLATIONS_ALL : 1};
	struct norn_stepper *steppers = malloc(m->count * sizeof *steppers);
	if (!steppers)
		return norn_error_no_memory(err);
	for (uint32_t i = 0; i < m->count; i++)
		steppers[i] = norn_stepper_of(m->auguries[i]->monitor, m->auguries[i]->property, true);
	int r = norn_lattice_search(m->computation, &model, steppers, m->count, &options, ret_result);
	free(steppers);
	if (r != 0)
		return norn_error_set(err, r, "the lattice of property %s could not be searched: %s",
		        m->auguries[0]->property->name, strerror(-r));
	return 0;
}

int norn_search_state_search(struct norn_property_search *f, struct norn_search_state *const *auguries, uint32_t count,
        const struct norn_projection *projection, struct norn_findings *findings, struct norn_error *err)
{
	struct norn_lattice_picture picture;
	struct norn_lattice_result result;
	struct norn_search_model m = {
	        .forecast = f, .auguries = auguries, .count = count, .keys = projection->keys, .findings = findings};
	int r = norn_search_model_init(&m, projection, err);
	if (r != 0)
		return r;
	norn_lattice_picture_init(&picture);
	picture.threads = m.computation->threads;
	m.picture = f->options.draw ? &picture : NULL;
	r = walk(&m, &result, err);
	bool crowded = r == 0 && count > 1 && (result.limit == NORN_LATTICE_MEMORY || result.limit == NORN_LATTICE_STOPPED);
	if (r == 0) {
		findings->stats.cuts += result.cuts;
		for (uint32_t i = 0; r == 0 && i < count && !crowded; i++)
			r = report(&m, i, projection, &result, err);
		if (r == 0 && m.picture)
			r = norn_sketch_show(&m, &result, err);
		norn_lattice_result_done(&result);
	}
	norn_lattice_picture_done(&picture);
	norn_search_model_done(&m);
	/* Each alone needs less memory. */
	for (uint32_t i = 0; r == 0 && crowded && i < count; i++)
		r = norn_search_state_search(f, &auguries[i], 1, projection, findings, err);
	return r;
}
