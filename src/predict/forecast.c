#include "predict/forecast.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "causality/follow.h"
#include "predict/claim.h"
#include "predict/concern.h"
#include "predict/history.h"
#include "predict/lattice.h"
#include "predict/project.h"
#include "predict/worlds.h"

#define STEPS_LOOKED_AT 200u
#define SCHEDULING UINT64_C(1000000) /* nanoseconds: a thread may be off the CPU between noting the time and the event */
#define KEPT_MAX (4u << 20) /* positions that are kept; no lattice of so many comes to an end */
#define VIOLATIONS_ALL 16u /* of different kinds, with `all` */

struct norn_forecast {
	const struct norn_sources *sources;
	const struct norn_binding *binding;
	const struct norn_position *start;
	struct norn_forecast_options options;
	struct augury {
		const struct norn_property *property;
		struct norn_view *view;
		struct norn_concern concern;
		struct norn_monitor *monitor;
		bool charged;
	} *auguries; /* one for each property that is predicted */
	uint32_t augury_count;
	struct norn_mvc *mvc;
	struct norn_computation_builder *builder;
	struct norn_arena arena;
	const struct norn_position **kept; /* in the observed order; a payload is an index here */
	uint32_t kept_count, kept_room;
	bool lost, full;
	uint64_t resolution; /* nanoseconds: events that are further apart happened in the order of their times */
	struct norn_claims claims;
};

static int no_memory(struct norn_error *err)
{
	return norn_error_set(err, -ENOMEM, "there is not enough memory");
}

/* ---- life ---- */

static bool is_predicted(const struct norn_property *p, const struct norn_forecast_options *options)
{
	if (p->logic > NORN_LOGIC_FSM)
		return false;
	return options->every || p->predict != NORN_PREDICT_NONE;
}

static int add_augury(struct norn_forecast *f, const struct norn_property *property, struct norn_error *err)
{
	struct augury *a = &f->auguries[f->augury_count++];
	a->property = property;
	if (norn_view_new(f->binding, property, &a->view) != 0 || norn_concern_init(&a->concern, a->view) != 0)
		return no_memory(err);
	return norn_monitor_new(f->binding->spec, property, NULL, &a->monitor, err);
}

int norn_forecast_new(const struct norn_sources *sources, const struct norn_binding *binding, const struct norn_position *start,
        const struct norn_forecast_options *options, struct norn_forecast **ret_forecast, struct norn_error *err)
{
	const struct norn_spec *spec = binding->spec;
	struct norn_forecast *f = calloc(1, sizeof *f);
	if (!f)
		return no_memory(err);
	const char *resolution = norn_trace_info(binding->trace, "resolution");
	*f = (struct norn_forecast){.sources = sources,
	        .binding = binding,
	        .options = *options,
	        .resolution = resolution ? strtoull(resolution, NULL, 10) + SCHEDULING : UINT64_MAX};
	f->auguries = calloc(spec->property_count + 1ul, sizeof *f->auguries);
	f->start = norn_position_copy(spec, start, &f->arena);
	int r = f->auguries && f->start ? 0 : no_memory(err);
	for (uint32_t i = 0; r == 0 && i < spec->property_count; i++)
		if (is_predicted(&spec->properties[i], options))
			r = add_augury(f, &spec->properties[i], err);
	if (r == 0 && f->augury_count &&
	        (norn_mvc_new(NORN_CAUSALITY_MVC, &f->mvc) != 0 || norn_computation_builder_new(&f->builder) != 0))
		r = no_memory(err);
	if (r != 0 || !f->augury_count) {
		norn_forecast_free(f);
		f = NULL;
	}
	if (r == 0)
		*ret_forecast = f;
	return r;
}

void norn_forecast_free(struct norn_forecast *f)
{
	if (!f)
		return;
	for (uint32_t i = 0; i < f->augury_count; i++) {
		norn_view_free(f->auguries[i].view);
		norn_concern_done(&f->auguries[i].concern);
		norn_monitor_free(f->auguries[i].monitor);
	}
	free(f->auguries);
	norn_mvc_free(f->mvc);
	norn_computation_builder_free(f->builder);
	norn_claims_done(&f->claims);
	norn_arena_done(&f->arena);
	free(f->kept);
	free(f);
}

/* ---- the run ---- */

static bool is_wanted(const struct norn_forecast *f, const struct norn_position *p)
{
	for (uint32_t i = 0; i < f->augury_count; i++)
		if (norn_concern_has(&f->auguries[i].concern, p))
			return true;
	return false;
}

static int keep(struct norn_forecast *f, const struct norn_position *position)
{
	if (f->kept_count == f->kept_room) {
		uint32_t room = f->kept_room ? 2 * f->kept_room : 256;
		const struct norn_position **kept = realloc(f->kept, room * sizeof(*kept));
		if (!kept)
			return -ENOMEM;
		f->kept = kept;
		f->kept_room = room;
	}
	const struct norn_position *copy = norn_position_copy(f->binding->spec, position, &f->arena);
	if (!copy)
		return -ENOMEM;
	f->kept[f->kept_count++] = copy;
	return 0;
}

int norn_forecast_event(struct norn_forecast *f, const struct norn_event *event, const struct norn_position *position)
{
	f->lost |= event->kind == NORN_EVENT_LOST;
	if (f->lost)
		return 0;
	f->full |= f->kept_count == KEPT_MAX;
	if (f->full)
		return 0;
	bool wanted = position && is_wanted(f, position);
	int r = norn_mvc_follow(f->mvc, event, wanted);
	/* What a free ends is needed to tell instances apart, though it is no event of the lattice. */
	if (r == 0 && (wanted || (position && event->kind == NORN_EVENT_FREE)))
		r = keep(f, position);
	if (r == 0 && wanted)
		r = norn_mvc_tell(f->mvc, event->thread, f->kept_count - 1, f->builder);
	return r;
}

/* ---- the search ---- */

struct model {
	struct norn_forecast *forecast;
	const struct augury *augury;
	const struct norn_value *keys;
	const struct norn_computation *computation;
	struct norn_worlds worlds;
	struct norn_picture *picture; /* NULL: none is wanted */
	struct norn_findings *findings;
	bool failed; /* to draw it */
};

static const struct norn_position *position_of(const struct model *m, struct norn_lattice_event e)
{
	if (e.thread == NORN_LATTICE_BEGIN)
		return m->forecast->start;
	return m->forecast->kept[norn_computation_payload(m->computation, e.thread, e.k)];
}

static int apply(void *context, uint32_t world, struct norn_lattice_event event, uint32_t *ret_world)
{
	struct model *m = context;
	return norn_worlds_next(&m->worlds, world, position_of(m, event), ret_world);
}

static enum norn_lattice_position letter(void *context, uint32_t monitor, uint32_t before, uint32_t after,
        struct norn_lattice_event event, uint64_t *ret_letter, uint64_t *ret_unknown)
{
	(void)monitor;
	(void)after;
	struct model *m = context;
	struct norn_letter l;
	if (event.thread == NORN_LATTICE_BEGIN && !m->augury->property->states)
		return NORN_LATTICE_NO_POSITION;
	/* Out of memory is noticed by apply, which does the same. */
	if (norn_worlds_look(&m->worlds, before, position_of(m, event)) != 0 ||
	        !norn_view_letter(m->augury->view, &m->worlds.moment, m->keys, &l))
		return NORN_LATTICE_NO_POSITION;
	*ret_letter = l.yes;
	*ret_unknown = l.unknown;
	return l.sure ? NORN_LATTICE_POSITION : NORN_LATTICE_MAYBE;
}

/* The lattice counts its own memory, but not that of the worlds. */
static bool has_room(void *context, const struct norn_lattice_progress *progress)
{
	const struct model *m = context;
	uint64_t most = m->forecast->options.max_memory;
	return !most || norn_worlds_bytes(&m->worlds) + progress->memory <= most;
}

/* Violations at the same line are the same. */
static uint64_t kind(void *context, uint32_t monitor, struct norn_lattice_event event)
{
	(void)monitor;
	return event.thread == NORN_LATTICE_BEGIN ? 0 : position_of(context, event)->site;
}

/* "2 of 3 runs violate it; 6 cuts in 4 levels" */
static const char *extent_of(const struct norn_lattice_result *result, struct norn_findings *findings)
{
	const char *text = "";
	if (result->counted) {
		char *runs = norn_bignum_text(&result->runs), *wrong = norn_bignum_text(&result->monitors[0].violating);
		if (runs && wrong)
			text = norn_findings_text(findings, "%s of %s runs that this run stands for violate it; ", wrong, runs);
		free(runs);
		free(wrong);
	}
	return norn_findings_text(
	        findings, "%s%llu cuts in %llu levels", text, (unsigned long long)result->cuts, (unsigned long long)result->levels);
}

/* Remembers a violating run until the recorded run has been looked at again. */
static int claim(const struct model *m, const struct norn_projection *projection, const struct norn_lattice_violation *v,
        const char *extent, struct norn_error *err)
{
	struct norn_forecast *f = m->forecast;
	const struct norn_position **steps = norn_arena_alloc(&f->arena, (v->length + 1) * sizeof(*steps));
	uint64_t *relevant = norn_arena_alloc(&f->arena, (projection->count + 1ul) * sizeof *relevant);
	if (!steps || !relevant)
		return no_memory(err);
	for (uint64_t i = 0; i < v->length; i++)
		steps[i] = position_of(m, v->events[i]);
	for (uint32_t i = 0; i < projection->count; i++)
		relevant[i] = f->kept[projection->payloads[i]]->number;
	struct norn_claim c = {.binding = f->binding,
	        .sources = f->sources,
	        .view = m->augury->view,
	        .monitor = m->augury->monitor,
	        .start = f->start,
	        .steps = steps,
	        .count = (uint32_t)v->length,
	        .at_end = v->at_end,
	        .extent = extent,
	        .relevant = relevant,
	        .relevant_count = projection->count};
	if (projection->keys) {
		size_t bytes = m->augury->property->key_count * sizeof *c.keys;
		struct norn_value *keys = norn_arena_alloc(&f->arena, bytes);
		if (!keys)
			return no_memory(err);
		c.keys = memcpy(keys, projection->keys, bytes);
	}
	return norn_claims_add(&f->claims, &c) == 0 ? 0 : no_memory(err);
}

static bool is_inevitable(const struct norn_lattice_result *result)
{
	const struct norn_bignum *runs = &result->runs, *wrong = &result->monitors[0].violating;
	return result->limit == NORN_LATTICE_COMPLETE && result->counted && runs->count == wrong->count &&
	       memcmp(runs->limbs, wrong->limbs, runs->count * sizeof *runs->limbs) == 0;
}

/* All runs violate it: so did the one that was observed, whatever its order was. */
static void clear_doubts(const struct model *m, struct norn_findings *findings)
{
	const char *key = norn_keys_text(m->augury->property, m->keys, findings);
	for (uint32_t i = 0; i < findings->count; i++) {
		struct norn_finding *finding = &findings->list[i];
		if (finding->doubted && strcmp(finding->property, m->augury->property->name) == 0 && strcmp(finding->key, key) == 0)
			finding->status = "observed";
	}
}

static int report(const struct model *m, const struct norn_projection *projection, const struct norn_lattice_result *result,
        struct norn_findings *findings, struct norn_error *err)
{
	int r = 0;
	const char *extent = extent_of(result, findings);
	if (is_inevitable(result))
		clear_doubts(m, findings);
	findings->stats.cuts += result->cuts;
	if (result->limit != NORN_LATTICE_COMPLETE) {
		findings->stats.complete = false;
		r = norn_findings_note(findings, "property %s: the search was cut short by --%s at level %llu, after %llu cuts",
		            m->augury->property->name,
		            result->limit == NORN_LATTICE_STOPPED ? "max-memory" : norn_lattice_limit_name(result->limit),
		            (unsigned long long)result->limit_level, (unsigned long long)result->cuts) == 0
		            ? 0
		            : no_memory(err);
	}
	for (uint32_t i = 0; r == 0 && i < result->violation_count; i++)
		r = claim(m, projection, &result->violations[i], extent, err);
	return r;
}

/* ---- the picture ---- */

static const char *state_text(const struct model *m, uint32_t world)
{
	const char *text = "";
	for (uint32_t p = 0; p < m->forecast->binding->spec->place_count; p++) {
		if (!m->augury->view->places[p])
			continue;
		char value[48];
		norn_value_text(norn_valuation_place(m->forecast->binding, &m->worlds.list[world], p), value, sizeof value);
		text = norn_findings_text(m->findings, "%s%s%s", text, *text ? "," : "", value);
	}
	return text;
}

static const char *event_text(struct model *m, uint32_t world, const struct norn_position *position)
{
	struct norn_past past;
	struct norn_step_text text;
	if (norn_worlds_look(&m->worlds, world, position) != 0)
		return "";
	norn_past_of(m->augury->view, &m->worlds.moment, NORN_INSTANCE_ALL, &past);
	norn_past_text(m->forecast->binding, &past, m->findings, &text);
	return norn_findings_text(m->findings, "%s %s%s%s", text.event, text.what, *text.after ? " = " : "", text.after);
}

/* A node with the edges that lead on from it. */
static void draw(void *context, const struct norn_lattice_node *node)
{
	struct model *m = context;
	struct norn_picture *p = m->picture;
	uint32_t from = norn_picture_cut(p, node->level, node->cut);
	uint32_t *cut = malloc((p->threads + 1ul) * sizeof *cut);
	m->failed |= from == UINT32_MAX || !cut;
	if (m->failed) {
		free(cut);
		return;
	}
	p->nodes[from].state = state_text(m, node->valuation);
	for (uint32_t i = 0; i < node->state_count; i++)
		p->nodes[from].violated |= node->states[i].status == NORN_LATTICE_VIOLATED;
	for (uint32_t i = 0; i < node->next_count && !m->failed; i++) {
		struct norn_lattice_event event = {node->next[i], node->cut[node->next[i]]};
		memcpy(cut, node->cut, p->threads * sizeof *cut);
		cut[event.thread]++;
		uint32_t to = norn_picture_cut(p, node->level + 1, cut);
		m->failed |= to == UINT32_MAX ||
		             norn_picture_connect(p, from, to, event_text(m, node->valuation, position_of(m, event))) != 0;
	}
	free(cut);
}

struct seen {
	uint64_t place;
	uint32_t thread;
};

static int by_place(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* Colours the observed run, and the violating one. */
static void follow_runs(const struct model *m, const uint64_t *places, const struct norn_lattice_result *result)
{
	const struct norn_computation *c = m->computation;
	struct seen *seen = malloc((c->total + 1) * sizeof *seen);
	uint32_t *threads = malloc((c->total + 1) * sizeof *threads);
	for (uint32_t i = 0; seen && i < c->threads; i++)
		for (uint32_t k = 0; k < c->events[i]; k++)
			seen[c->first[i] + k] = (struct seen){places[c->first[i] + k], i};
	if (seen && threads) {
		qsort(seen, c->total, sizeof *seen, by_place);
		for (uint64_t i = 0; i < c->total; i++)
			threads[i] = seen[i].thread;
		norn_picture_follow(m->picture, threads, (uint32_t)c->total, false);
		const struct norn_lattice_violation *v = result->violation_count ? &result->violations[0] : NULL;
		for (uint64_t i = 0; v && i < v->length; i++)
			threads[i] = v->events[i].thread;
		norn_picture_follow(m->picture, threads, v ? (uint32_t)v->length : 0, true);
	}
	free(seen);
	free(threads);
}

static const char *variables_text(const struct model *m)
{
	const char *text = "";
	for (uint32_t p = 0; p < m->forecast->binding->spec->place_count; p++)
		if (m->augury->view->places[p])
			text = norn_findings_text(
			        m->findings, "%s%s%s", text, *text ? "," : "", m->forecast->binding->spec->places[p].text);
	return text;
}

static int show_picture(
        const struct model *m, const uint64_t *places, const struct norn_lattice_result *result, struct norn_error *err)
{
	struct norn_picture *p = m->picture;
	const struct norn_forecast_options *o = &m->forecast->options;
	if (p->too_large)
		return norn_findings_note(m->findings, "the lattice of property %s has more than %u cuts, and is not drawn",
		               m->augury->property->name, NORN_PICTURE_CUTS) == 0
		               ? 0
		               : no_memory(err);
	if (m->failed)
		return no_memory(err);
	follow_runs(m, places, result);
	p->property = m->augury->property->name;
	p->key = norn_keys_text(m->augury->property, m->keys, m->findings);
	p->variables = variables_text(m);
	o->draw(o->context, p);
	return 0;
}

/* All runs of one instance. */
static int search(struct norn_forecast *f, const struct augury *a, const struct norn_projection *projection, bool whole,
        struct norn_findings *findings, struct norn_error *err)
{
	struct norn_picture picture;
	struct model m = {.forecast = f, .augury = a, .keys = projection->keys, .findings = findings};
	struct norn_lattice_result result;
	uint64_t *places = NULL;
	struct norn_computation *computation = NULL;
	int r = norn_projection_computation(projection, &computation, err);
	if (r != 0)
		return r;
	m.computation = computation;
	norn_picture_init(&picture);
	picture.threads = computation->threads;
	m.picture = f->options.draw ? &picture : NULL;
	places = malloc((computation->total + 1) * sizeof *places);
	for (uint64_t i = 0; places && i < computation->total; i++)
		places[i] = f->kept[computation->payloads[i]]->number;
	if (!places || norn_worlds_init(&m.worlds, f->binding, f->start) != 0) {
		r = no_memory(err);
		goto out;
	}
	struct norn_lattice_model model = {
	        .context = &m, .initial = 0, .apply = apply, .letter = letter, .kind = kind, .observed = places};
	struct norn_lattice_options options = {.workers = f->options.workers,
	        .max_cuts = f->options.max_cuts,
	        .max_memory = f->options.max_memory,
	        .beam = f->options.beam,
	        .context = &m,
	        .progress = has_room,
	        .visit = m.picture ? draw : NULL,
	        .violations = f->options.all ? VIOLATIONS_ALL : 1};
	struct norn_stepper stepper = norn_stepper_of(a->monitor, a->property, whole);
	r = norn_lattice_search(computation, &model, &stepper, 1, &options, &result);
	if (r != 0) {
		r = norn_error_set(err, r, "the lattice of property %s could not be searched: %s", a->property->name, strerror(-r));
	} else {
		r = report(&m, projection, &result, findings, err);
		if (r == 0 && m.picture)
			r = show_picture(&m, places, &result, err);
		norn_lattice_result_done(&result);
	}
	norn_worlds_done(&m.worlds);
out:
	norn_picture_done(&picture);
	free(places);
	norn_computation_free(computation);
	return r;
}

static int predict(struct norn_forecast *f, const struct augury *a, const struct norn_computation *all, const uint32_t *seats,
        bool whole, struct norn_findings *findings, struct norn_error *err)
{
	struct norn_projections *projections;
	int r = norn_projections_new(a->view, &a->concern, all, seats, f->kept, f->kept_count, &projections);
	if (r == -EINVAL)
		return norn_findings_note(
		               findings, "property %s is not predicted: an event's key is not known", a->property->name) == 0
		               ? 0
		               : no_memory(err);
	if (r != 0)
		return no_memory(err);
	for (uint32_t i = 0; r == 0 && i < norn_projections_count(projections); i++) {
		struct norn_projection projection;
		r = norn_projections_get(projections, i, &projection) == 0 ? 0 : no_memory(err);
		if (r == 0 && projection.several)
			r = search(f, a, &projection, whole, findings, err);
	}
	norn_projections_free(projections);
	return r;
}

void norn_forecast_charged(struct norn_forecast *f, const struct norn_property *property)
{
	for (uint32_t i = 0; i < f->augury_count; i++)
		f->auguries[i].charged |= f->auguries[i].property == property;
}

/* ---- was it really observed? ---- */

/* Where the position with that number is kept; UINT32_MAX: nowhere. */
static uint32_t find_kept(const struct norn_forecast *f, uint64_t number)
{
	uint32_t low = 0, high = f->kept_count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (f->kept[middle]->number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < f->kept_count && f->kept[low]->number == number ? low : UINT32_MAX;
}

/* Can nobody tell which of two positions came first? Both are payloads, a the earlier one in the merged order. */
static bool is_open(
        const struct norn_forecast *f, const struct norn_computation *all, const uint32_t *seats, uint32_t a, uint32_t b)
{
	const struct norn_position *x = f->kept[a], *y = f->kept[b];
	if (x->thread == y->thread || (y->time > x->time && y->time - x->time >= f->resolution))
		return false;
	uint32_t i = 0;
	while (all->numbers[i] != x->thread)
		i++;
	return all->clocks[(size_t)seats[b] * all->threads + i] <= seats[a] - all->first[i];
}

/* Is it certain that b, later in the merged order, came after all these steps? */
static bool came_after(const struct norn_forecast *f, const struct norn_computation *all, const uint32_t *seats,
        const uint32_t *steps, uint32_t count, uint32_t b)
{
	for (uint32_t i = 0; i < count; i++)
		if (is_open(f, all, seats, steps[i], b))
			return false;
	return true;
}

/* Does the position concern the instance that the finding is about? */
static bool is_about(const struct augury *a, const struct norn_position *p, const char *key, struct norn_findings *findings)
{
	struct norn_value keys[NORN_KEYS_MAX];
	if (!norn_concern_has(&a->concern, p))
		return false;
	bool named = false;
	for (uint32_t h = 0; h < p->hit_count; h++)
		if (a->concern.events[p->hits[h].event] && norn_view_keys(a->view, &p->hits[h], keys)) {
			named = true;
			if (strcmp(norn_keys_text(a->property, keys, findings), key) == 0)
				return true;
		}
	return !named; /* then it concerns all */
}

/* Was its witness seen in this order, and nothing before it that the merged order has later? Of long ones only the end is looked at. */
static bool is_certain(const struct norn_forecast *f, const struct augury *a, const struct norn_computation *all,
        const uint32_t *seats, const struct norn_finding *finding, struct norn_findings *findings)
{
	uint32_t steps[STEPS_LOOKED_AT], count = 0, last = 0;
	uint32_t first = finding->witness_count > STEPS_LOOKED_AT ? finding->witness_count - STEPS_LOOKED_AT : 0;
	for (uint32_t j = first; j < finding->witness_count; j++) {
		uint32_t b = find_kept(f, finding->witness[j].number);
		if (b == UINT32_MAX || seats[b] == UINT32_MAX)
			continue;
		if (!came_after(f, all, seats, steps, count, b))
			return false;
		steps[count++] = b;
		last = b;
	}
	for (uint32_t b = last + 1; count && b < f->kept_count; b++)
		if (seats[b] != UINT32_MAX && !came_after(f, all, seats, steps, count, b) &&
		        is_about(a, f->kept[b], finding->key, findings))
			return false;
	return true;
}

/* Whether all that was reported of the property was seen for certain; what was not is now a prediction. Either way it was judged under
 * mvc. */
static bool all_certain(const struct norn_forecast *f, const struct augury *a, const struct norn_computation *all,
        const uint32_t *seats, struct norn_findings *findings)
{
	bool certain = true;
	for (uint32_t i = 0; i < findings->count; i++) {
		struct norn_finding *finding = &findings->list[i];
		const struct norn_decl *decl = a->property->decl;
		if (strcmp(finding->status, "observed") != 0 || strcmp(finding->property, a->property->name) != 0 || !decl ||
		        strcmp(finding->definition_file, norn_sources_name(f->sources, decl->span.file)) != 0)
			continue;
		finding->causality = "mvc";
		if (is_certain(f, a, all, seats, finding, findings))
			continue;
		certain = false;
		finding->doubted = true;
		finding->status = "predicted";
	}
	return certain;
}

int norn_forecast_end(struct norn_forecast *f, bool whole, struct norn_findings *findings, struct norn_error *err)
{
	if (f->full) {
		findings->stats.complete = false;
		return norn_findings_note(findings, "nothing is predicted: there are more than %u relevant events", KEPT_MAX) == 0
		               ? 0
		               : no_memory(err);
	}
	if (f->lost || !whole) {
		findings->stats.complete = false;
		return norn_findings_note(findings,
		               "nothing is predicted: events are missing, and with them orders that other runs "
		               "must keep") == 0
		               ? 0
		               : no_memory(err);
	}
	struct norn_computation *all;
	int r = norn_computation_finish(f->builder, &all, err);
	if (r != 0)
		return r;
	uint32_t *seats = norn_projections_seats(all, f->kept_count);
	if (!seats)
		r = no_memory(err);
	for (uint32_t i = 0; r == 0 && i < f->augury_count; i++)
		if (!f->auguries[i].charged || !all_certain(f, &f->auguries[i], all, seats, findings) || f->options.all) {
			r = predict(f, &f->auguries[i], all, seats, whole, findings, err);
		}
	free(seats);
	norn_computation_free(all);
	return r;
}

struct norn_claims *norn_forecast_claims(struct norn_forecast *f)
{
	return &f->claims;
}
