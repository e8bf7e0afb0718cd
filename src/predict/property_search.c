#include "predict/property_search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "causality/clock_rules.h"
#include "predict/search_state.h"

#define SCHEDULING UINT64_C(1000000) /* nanoseconds: a thread may be off the CPU between noting the time and the event */
#define KEPT_MAX (4u << 20) /* positions that are kept; no lattice of so many comes to an end */

/* ---- life ---- */

static bool is_predicted(const struct norn_property *p, const struct norn_property_search_options *options)
{
	if (p->logic > NORN_LOGIC_FSM)
		return false;
	return options->every || p->predict != NORN_PREDICT_NONE;
}

static int add_augury(struct norn_property_search *f, const struct norn_property *property, struct norn_error *err)
{
	struct norn_search_state *a = &f->auguries[f->augury_count++];
	a->property = property;
	a->liveness = property->liveness && !f->options.finite;
	if (a->liveness && !f->cycle_log && norn_cycle_log_new(&f->cycle_log) != 0)
		return norn_error_no_memory(err);
	if (norn_view_new(f->binding, property, &a->view) != 0 || norn_influence_init(&a->concern, a->view) != 0)
		return norn_error_no_memory(err);
	return norn_monitor_new(f->binding->spec, property, NULL, &a->monitor, err);
}

int norn_property_search_new(const struct norn_sources *sources, const struct norn_binding *binding,
        const struct norn_position *start, const struct norn_property_search_options *options,
        struct norn_property_search **ret_forecast, struct norn_error *err)
{
	const struct norn_spec *spec = binding->spec;
	struct norn_property_search *f = calloc(1, sizeof *f);
	if (!f)
		return norn_error_no_memory(err);
	const char *resolution = norn_trace_info(binding->trace, "resolution");
	*f = (struct norn_property_search){.sources = sources,
	        .binding = binding,
	        .options = *options,
	        .resolution = resolution ? strtoull(resolution, NULL, 10) + SCHEDULING : UINT64_MAX};
	f->auguries = calloc(spec->property_count + 1ul, sizeof *f->auguries);
	f->start = norn_position_copy(spec, start, &f->arena);
	int r = f->auguries && f->start ? 0 : norn_error_no_memory(err);
	for (uint32_t i = 0; r == 0 && i < spec->property_count; i++)
		if (is_predicted(&spec->properties[i], options))
			r = add_augury(f, &spec->properties[i], err);
	if (r == 0 && f->augury_count &&
	        (norn_mvc_new(NORN_CAUSALITY_MVC, &f->mvc) != 0 || norn_computation_builder_new(&f->builder) != 0))
		r = norn_error_no_memory(err);
	if (r != 0 || !f->augury_count) {
		norn_property_search_free(f);
		f = NULL;
	}
	if (r == 0)
		*ret_forecast = f;
	return r;
}

void norn_property_search_free(struct norn_property_search *f)
{
	if (!f)
		return;
	for (uint32_t i = 0; i < f->augury_count; i++) {
		norn_view_free(f->auguries[i].view);
		norn_influence_done(&f->auguries[i].concern);
		norn_monitor_free(f->auguries[i].monitor);
	}
	free(f->auguries);
	norn_mvc_free(f->mvc);
	norn_cycle_log_free(f->cycle_log);
	norn_computation_builder_free(f->builder);
	norn_candidates_done(&f->claims);
	norn_arena_done(&f->arena);
	free(f->kept);
	free(f);
}

/* ---- the run ---- */

static bool is_wanted(const struct norn_property_search *f, const struct norn_position *p)
{
	for (uint32_t i = 0; i < f->augury_count; i++)
		if (norn_influence_has(&f->auguries[i].concern, p))
			return true;
	return false;
}

static int keep(struct norn_property_search *f, const struct norn_position *position)
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

int norn_property_search_event(struct norn_property_search *f, const struct norn_event *event, const struct norn_position *position)
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
	if (r == 0 && f->cycle_log)
		r = norn_cycle_log_event(f->cycle_log, event, wanted ? f->kept_count - 1 : UINT32_MAX);
	return r;
}

/* ---- the searches ---- */

static bool is_claimed(const struct norn_property_search *f, const struct norn_search_state *a, uint32_t from)
{
	for (uint32_t i = from; i < f->claims.count; i++)
		if (f->claims.list[i].order == a - f->auguries)
			return true;
	return false;
}

static int search(struct norn_property_search *f, struct norn_search_state *const *group, uint32_t count,
        const struct norn_projection *projection, struct norn_findings *findings, struct norn_error *err)
{
	uint32_t claims = f->claims.count;
	int r = projection->several ? norn_search_state_search(f, group, count, projection, findings, err) : 0;
	/* What mvc allows, sliced causality does too. */
	for (uint32_t i = 0; r == 0 && projection->several && f->options.graph && i < count; i++)
		if ((f->options.sliced || group[i]->property->predict == NORN_PREDICT_SLICED) && !is_claimed(f, group[i], claims))
			r = norn_search_state_slice(f, group[i], projection, findings, err);
	for (uint32_t i = 0; r == 0 && i < count; i++)
		if (group[i]->liveness && !group[i]->charged && !is_claimed(f, group[i], claims))
			r = norn_search_state_loops(f, group[i], projection, findings, err);
	return r;
}

/* Whether both have the same relevant events, and tell instances apart alike: then one walk does for both. */
static bool goes_along(const struct norn_property_search *f, const struct norn_search_state *a, const struct norn_search_state *b)
{
	const struct norn_spec *spec = f->binding->spec;
	uint32_t keys = a->property->key_count;
	return keys == b->property->key_count &&
	       memcmp(a->view->topic.key_slots, b->view->topic.key_slots,
	               (size_t)spec->event_count * keys * sizeof *a->view->topic.key_slots) == 0 &&
	       memcmp(a->concern.events, b->concern.events, spec->event_count * sizeof(bool)) == 0 &&
	       memcmp(a->concern.spots, b->concern.spots, f->binding->zones->spot_count * sizeof(bool)) == 0;
}

static int predict(struct norn_property_search *f, struct norn_search_state *const *group, uint32_t count,
        const struct norn_computation *all, const uint32_t *seats, struct norn_findings *findings, struct norn_error *err)
{
	struct norn_projections *projections;
	int r = norn_projections_new(group[0]->view, &group[0]->concern, all, seats, f->kept, f->kept_count, &projections);
	if (r == -EINVAL) {
		r = 0;
		for (uint32_t i = 0; r == 0 && i < count; i++)
			r = norn_findings_note(
			        findings, "property %s is not predicted: an event's key is not known", group[i]->property->name);
		return r == 0 ? 0 : norn_error_no_memory(err);
	}
	if (r != 0)
		return norn_error_no_memory(err);
	for (uint32_t i = 0; r == 0 && i < norn_projections_count(projections); i++) {
		struct norn_projection projection;
		r = norn_projections_get(projections, i, &projection) == 0 ? 0 : norn_error_no_memory(err);
		if (r == 0)
			r = search(f, group, count, &projection, findings, err);
	}
	norn_projections_free(projections);
	return r;
}

/* Each property in a walk of its own, or with those that go along. A picture shows one property. */
static int predict_all(struct norn_property_search *f, const struct norn_computation *all, const uint32_t *seats,
        struct norn_findings *findings, struct norn_error *err)
{
	int r = 0;
	bool together = !f->options.draw;
	struct norn_search_state **group = malloc((f->augury_count + 1ul) * sizeof(*group));
	if (!group)
		return norn_error_no_memory(err);
	for (uint32_t i = 0; i < f->augury_count; i++) {
		struct norn_search_state *a = &f->auguries[i];
		a->done = a->charged && norn_certain(f, a, all, seats, findings) && !f->options.all;
	}
	for (uint32_t i = 0; r == 0 && i < f->augury_count; i++) {
		uint32_t count = 0;
		for (uint32_t k = i; k < f->augury_count && !f->auguries[i].done; k++)
			if (k == i || (together && !f->auguries[k].done && goes_along(f, &f->auguries[i], &f->auguries[k])))
				group[count++] = &f->auguries[k];
		for (uint32_t k = 0; k < count; k++)
			group[k]->done = true;
		if (count)
			r = predict(f, group, count, all, seats, findings, err);
	}
	free(group);
	norn_candidates_arrange(&f->claims);
	return r;
}

void norn_property_search_charged(struct norn_property_search *f, const struct norn_property *property)
{
	for (uint32_t i = 0; i < f->augury_count; i++)
		f->auguries[i].charged |= f->auguries[i].property == property;
}

int norn_property_search_end(struct norn_property_search *f, bool whole, struct norn_findings *findings, struct norn_error *err)
{
	if (f->full) {
		findings->stats.complete = false;
		return norn_findings_note(findings, "nothing is predicted: there are more than %u relevant events", KEPT_MAX) == 0
		               ? 0
		               : norn_error_no_memory(err);
	}
	if (f->lost || !whole) {
		findings->stats.complete = false;
		return norn_findings_note(findings,
		               "nothing is predicted: events are missing, and with them orders that other runs "
		               "must keep") == 0
		               ? 0
		               : norn_error_no_memory(err);
	}
	struct norn_computation *all;
	int r = norn_computation_finish(f->builder, &all, err);
	if (r != 0)
		return r;
	uint32_t *seats = norn_projections_seats(all, f->kept_count);
	if (!seats)
		r = norn_error_no_memory(err);
	if (r == 0)
		r = predict_all(f, all, seats, findings, err);
	free(seats);
	norn_computation_free(all);
	return r;
}

struct norn_candidates *norn_property_search_claims(struct norn_property_search *f)
{
	return &f->claims;
}
