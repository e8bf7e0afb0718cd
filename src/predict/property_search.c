#include "predict/property_search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "causality/mvc_events.h"
#include "predict/search.h"

#define SCHEDULING UINT64_C(1000000) /* nanoseconds: a thread may be off the CPU between noting the time and the event */
#define LOOPS_SHARE 8u /* of the memory allowed, for what loops are found in */
#define KEPT_MAX (4u << 20) /* positions that are kept; no lattice of so many comes to an end */

/* ---- life ---- */

static int found(struct norn_instance_search *instance, const struct norn_lattice_violation *violation,
        struct norn_candidate *candidate, struct norn_error *err)
{
	(void)err;
	candidate->steps =
	        norn_must_arena_copy(&instance->search->arena, candidate->steps, candidate->count, sizeof(*candidate->steps));
	norn_instance_search_candidate(instance, instance->properties[violation->monitor], candidate);
	return 0;
}

static int add_property(struct norn_property_search *s, const struct norn_property *property, struct norn_error *err)
{
	struct norn_searched_property *p = &s->properties[s->property_count];
	int r = norn_search_add_property(s, property, err);
	p->liveness = property->liveness && !s->options.finite;
	if (p->liveness && !s->loop_log)
		s->loop_log = norn_loop_log_new(s->options.max_memory / LOOPS_SHARE);
	return r;
}

int norn_property_search_new(const struct norn_sources *sources, const struct norn_binding *binding,
        const struct norn_position *start, const struct norn_property_search_options *options,
        struct norn_property_search **ret_search, struct norn_error *err)
{
	const struct norn_spec *spec = binding->spec;
	const char *resolution = norn_trace_info(binding->trace, "resolution");
	struct norn_property_search *s = norn_must_alloc(1, sizeof *s);
	*s = (struct norn_property_search){.sources = sources,
	        .binding = binding,
	        .candidates = {.trace = binding->trace},
	        .start = start,
	        .options = *options,
	        .found = found,
	        .complete_to = UINT64_MAX,
	        .resolution = resolution ? strtoull(resolution, NULL, 10) + SCHEDULING : UINT64_MAX};
	norn_search_init(s);
	int r = 0;
	for (uint32_t i = 0; r == 0 && i < spec->property_count; i++)
		if (norn_search_wants(&spec->properties[i], options))
			r = add_property(s, &spec->properties[i], err);
	if (r != 0 || !s->property_count) {
		norn_property_search_free(s);
		s = NULL;
	} else {
		norn_search_make_groups(s, !options->draw); /* a picture shows one property */
		norn_must_do(norn_mvc_new(NORN_CAUSALITY_MVC, &s->mvc));
	}
	if (r == 0)
		*ret_search = s;
	return r;
}

void norn_property_search_free(struct norn_property_search *s)
{
	if (!s)
		return;
	norn_search_done(s);
	norn_mvc_free(s->mvc);
	norn_loop_log_free(s->loop_log);
	norn_candidates_done(&s->candidates);
	free(s);
}

/* ---- the run ---- */

/* Keeps the last event's position with its clock. */
static const struct norn_projected *keep(struct norn_property_search *s, const struct norn_position *position, uint32_t thread)
{
	uint32_t width, entries = 0;
	const uint32_t *clock = norn_mvc_clock(s->mvc, thread, &width);
	for (uint32_t c = 0; c < width; c++)
		entries += clock[c] > 0;
	struct norn_projected *kept = norn_search_keep(s, position, entries, position->number);
	for (uint32_t c = 0; c < width; c++)
		if (clock[c]) {
			kept->clock[kept->entries] = (struct norn_clock_entry){norn_mvc_column_thread(s->mvc, c), clock[c]};
			if (kept->clock[kept->entries++].thread == thread)
				kept->nth = clock[c];
		}
	return kept;
}

int norn_property_search_event(struct norn_property_search *s, const struct norn_event *event, const struct norn_position *position)
{
	s->lost |= event->kind == NORN_EVENT_LOST;
	if (s->lost)
		return 0;
	s->full |= s->kept.count == KEPT_MAX;
	if (s->full)
		return 0;
	bool relevant = position && norn_search_concerns(s, position);
	int r = norn_mvc_follow(s->mvc, event, relevant);
	if (r == -EOVERFLOW)
		return r;
	norn_must_do(r);
	const struct norn_projected *kept = relevant ? keep(s, position, event->thread) : NULL;
	if (position)
		r = norn_search_distribute(s, position, kept);
	if (r == 0 && s->loop_log)
		norn_loop_log_event(s->loop_log, event, kept ? kept->index : UINT32_MAX);
	return r;
}

void norn_property_search_violated(struct norn_property_search *s, const struct norn_property *property)
{
	for (uint32_t i = 0; i < s->property_count; i++)
		s->properties[i].violated |= s->properties[i].property == property;
}

/* ---- the searches ---- */

/* Is there a candidate for the property, from this one on? */
static bool has_candidate(const struct norn_property_search *s, const struct norn_searched_property *p, uint32_t from)
{
	for (uint32_t i = from; i < s->candidates.count; i++)
		if (s->candidates.list[i].order == p->order)
			return true;
	return false;
}

/* All runs that mvc allows. Where several properties together take too much memory, each is searched alone. */
static int search_lattice(struct norn_property_search *s, struct norn_searched_property *const *properties, uint32_t count,
        const struct norn_value *keys, const struct norn_projected_list *events, struct norn_error *err)
{
	struct norn_lattice_picture picture;
	struct norn_instance_search *i = norn_instance_search_new(s, properties, count, keys, events);
	bool crowded = false;
	norn_lattice_picture_init(&picture);
	picture.threads = i->projection.columns.count;
	picture.most = s->options.draw ? 0 : NORN_LATTICE_PICTURE_SMALL;
	i->picture = s->options.draw || (s->options.keep && count == 1) ? &picture : NULL;
	int r = norn_instance_search_begin(i);
	if (r == 0)
		r = norn_instance_search_finish(i, true, err);
	if (r == 0) {
		enum norn_lattice_limit limit = norn_lattice_result(i->lattice)->limit;
		crowded = count > 1 && (limit == NORN_LATTICE_MEMORY || limit == NORN_LATTICE_STOPPED);
		if (!crowded)
			r = norn_instance_search_report(i, err);
	}
	norn_lattice_picture_done(&picture);
	norn_instance_search_free(i);
	for (uint32_t m = 0; r == 0 && crowded && m < count; m++)
		r = search_lattice(s, &properties[m], 1, keys, events, err);
	return r;
}

/* Searches that are for one property each. */
static int search_alone(struct norn_property_search *s, struct norn_searched_property *p, const struct norn_value *keys,
        const struct norn_projected_list *events, bool several, uint32_t candidates, struct norn_error *err)
{
	struct norn_instance_search *i = NULL;
	int r = 0;
	/* Every run that mvc allows is one of sliced causality, too. */
	bool sliced = several && s->options.graph && (s->options.sliced || p->property->predict != NORN_PREDICT_MVC);
	if (sliced && !has_candidate(s, p, candidates)) {
		i = norn_instance_search_new(s, &p, 1, keys, events);
		norn_search_sliced(i, p);
	}
	if (r == 0 && p->liveness && !p->violated && !has_candidate(s, p, candidates)) {
		norn_instance_search_free(i);
		i = norn_instance_search_new(s, &p, 1, keys, events);
		r = norn_search_loops(i, err);
	}
	norn_instance_search_free(i);
	return r;
}

static int search_instance(struct norn_property_search *s, struct norn_searched_property *const *properties, uint32_t count,
        const struct norn_value *keys, const struct norn_projected_list *events, struct norn_error *err)
{
	uint32_t candidates = s->candidates.count;
	bool several = false; /* threads have events; else there is but one order */
	for (uint32_t k = 1; k < events->count; k++)
		several |= events->items[k]->thread != events->items[0]->thread;
	int r = several ? search_lattice(s, properties, count, keys, events, err) : 0;
	for (uint32_t m = 0; r == 0 && m < count; m++)
		r = search_alone(s, properties[m], keys, events, several, candidates, err);
	return r;
}

static int search_group(struct norn_property_group *g, struct norn_error *err)
{
	struct norn_property_search *s = g->search;
	struct norn_searched_property **properties = norn_must_alloc(g->count, sizeof(*properties));
	struct norn_searched_instance *only;
	uint32_t count = 0;
	int r = 0;
	for (uint32_t m = 0; m < g->count; m++)
		if (!g->members[m]->done)
			properties[count++] = g->members[m];
	for (uint32_t m = 0; m < count && g->given_up; m++)
		norn_findings_partial(s->findings, NORN_REASON_PROPERTY, 1, "", "property %s is not predicted: %s",
		        properties[m]->property->name, g->given_up);
	if (!g->members[0]->property->key_count)
		r = norn_search_only_instance(g, &only);
	for (uint32_t i = 0; r == 0 && count && !g->given_up && i < g->instances.count; i++) {
		struct norn_projected_list events = {0};
		norn_search_events(g, g->instances.items[i], &events);
		r = search_instance(s, properties, count, g->instances.items[i]->keys, &events, err);
		norn_vector_done(&events);
	}
	free(properties);
	return r;
}

int norn_property_search_end(struct norn_property_search *s, bool whole, struct norn_findings *findings, struct norn_error *err)
{
	int r = 0;
	s->findings = findings;
	if (s->full || s->lost || !whole) {
		if (s->full)
			norn_findings_partial(findings, NORN_REASON_MEMORY, 1,
			        "record a shorter run, or name fewer variables and events",
			        "nothing is predicted: there are more than %u relevant events", KEPT_MAX);
		else
			norn_findings_partial(findings, NORN_REASON_LOST, 1, NORN_REMEDY_LOST,
			        "nothing is predicted: events are missing, and with them orders that other runs must keep");
		return 0;
	}
	for (uint32_t i = 0; i < s->property_count; i++) {
		struct norn_searched_property *p = &s->properties[i];
		p->done = p->violated && norn_certain(s, p) && !s->options.all;
	}
	for (uint32_t i = 0; r == 0 && i < s->group_count; i++)
		r = search_group(&s->groups[i], err);
	norn_candidates_sort(&s->candidates);
	return r;
}

struct norn_candidates *norn_property_search_candidates(struct norn_property_search *s)
{
	return &s->candidates;
}
