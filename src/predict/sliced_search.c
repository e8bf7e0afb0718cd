/* All runs that sliced causality allows, for one property. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/interrupt.h"
#include "lattice/belief.h"
#include "predict/search.h"
#include "sliced/step/step_lattice.h"
#include "trace/record.h"

#define PART_EVENTS 32768u /* of a run that are taken together, */
#define PART_MEMORY (UINT64_C(2) << 30) /* for each so many bytes of memory that are allowed */
#define PART_LEAST 256u /* events from the beginning of one part to that of the next */

struct sliced_property_search {
	struct norn_instance_search *instance;
	struct norn_property_search *driver;
	struct norn_searched_property *property;
	const struct norn_projected_list *events; /* the relevant ones */
	uint64_t *numbers; /* theirs, ascending */
	uint64_t *valued; /* those of them whose values matter */
	uint32_t valued_count;
	struct norn_graph_range *watched; /* memory that the property speaks of */
	uint32_t watched_count;
	bool reads; /* it speaks of reads, too */
	struct norn_fixed_reads fixed;
	struct norn_belief_table beliefs;
	struct norn_step_lattice_result result;
	const struct norn_rule *inexact; /* that a part met */
	/* The observed run up to the part: */
	uint32_t past; /* relevant events of it */
	uint32_t valuation, belief;
};

static const struct norn_position *position_of(const struct sliced_property_search *s, uint32_t relevant)
{
	return s->events->items[relevant]->position;
}

/* The effect of the position on a valuation and a belief. */
static void advance(struct sliced_property_search *s, const struct norn_position *position, uint32_t *valuation, uint32_t *belief)
{
	struct norn_valuation_table *valuations = &s->instance->valuations;
	struct norn_letter l;
	norn_valuation_table_moment(valuations, *valuation, position);
	bool begins = position == s->driver->start;
	if ((!begins || s->property->property->states) &&
	        norn_stepped_letter(s->property->view, &valuations->moment, s->instance->keys, &l))
		*belief = norn_belief_step(&s->beliefs, *belief, l.yes, l.unknown, !l.sure);
	if (!begins)
		*valuation = norn_valuation_table_next(valuations, *valuation, position);
}

static enum norn_step_lattice_answer happens(void *context, uint32_t relevant, uint32_t *valuation, uint32_t *belief)
{
	struct sliced_property_search *s = context;
	advance(s, position_of(s, relevant), valuation, belief);
	return *belief & NORN_BELIEF_VIOLATED ? NORN_STEP_LATTICE_FOUND
	       : *belief & NORN_BELIEF_DONE   ? NORN_STEP_LATTICE_STOP
	                                      : NORN_STEP_LATTICE_ON;
}

/* Does it matter what the event carries, or only that it happens? */
static bool is_valued(const struct norn_spec *spec, const struct norn_position *p)
{
	if (p->kind != NORN_EVENT_ENTER && p->kind != NORN_EVENT_LEAVE && p->kind != NORN_EVENT_MARK)
		return true;
	for (uint32_t i = 0; i < p->hit_count; i++) {
		const struct norn_checked_selector *s = &spec->events[p->hits[i].event].selectors[p->hits[i].selector];
		if (s->slots_total || s->condition)
			return true;
	}
	return p->write_count != 0;
}

/* Is the place one that an event of the property is an access of? */
static bool is_accessed(const struct sliced_property_search *s, uint32_t place)
{
	const struct norn_spec *spec = s->driver->binding->spec;
	for (uint32_t e = 0; e < spec->event_count; e++)
		for (uint32_t i = 0; s->property->influence.events[e] && i < spec->events[e].selector_count; i++) {
			const struct norn_checked_selector *selector = &spec->events[e].selectors[i];
			if (selector->kind >= NORN_POINT_READ && selector->kind <= NORN_POINT_ACCESS && selector->place == place)
				return true;
		}
	return false;
}

static void watch(struct sliced_property_search *s, uint64_t addr, uint64_t size)
{
	s->watched = norn_must_realloc(s->watched, s->watched_count + 1ul, sizeof *s->watched);
	s->watched[s->watched_count++] = (struct norn_graph_range){addr, size};
}

/* Blocks that may lie elsewhere have other addresses in the graph. */
static void watch_place(struct sliced_property_search *s, uint64_t addr, uint64_t end)
{
	bool moved = norn_graph_has_moved(s->driver->options.graph, addr, end - addr);
	watch(s, moved ? 0 : addr, moved ? UINT64_MAX : end - addr);
}

/* The memory that the property speaks of, whether it was accessed in the recorded run or not. */
static void find_watched(struct sliced_property_search *s)
{
	const struct norn_binding *b = s->driver->binding;
	const struct norn_place_index *z = b->place_index;
	for (uint32_t i = 0; i < z->count; i++)
		if (s->property->influence.places[z->list[i].place] || is_accessed(s, z->list[i].place))
			watch_place(s, z->list[i].address, norn_place_range_end(&z->list[i]));
	/* Fields of a type are told by the site of their access, wherever they lie. */
	if (z->full || b->event_match->has_fields)
		watch(s, 0, UINT64_MAX);
	for (uint32_t e = 0; e < b->spec->event_count; e++)
		for (uint32_t i = 0; s->property->influence.events[e] && i < b->spec->events[e].selector_count; i++) {
			enum norn_point_kind kind = b->spec->events[e].selectors[i].kind;
			s->reads |= kind == NORN_POINT_READ || kind == NORN_POINT_ACCESS;
		}
}

static void fix_reads(struct sliced_property_search *s)
{
	s->valued = norn_must_alloc(s->events->count, sizeof *s->valued);
	for (uint32_t i = 0; i < s->events->count; i++)
		if (is_valued(s->driver->binding->spec, position_of(s, i)))
			s->valued[s->valued_count++] = s->numbers[i];
	norn_fixed_reads_init(&s->fixed, s->driver->options.graph, s->valued, s->valued_count);
}

static void search_init(struct sliced_property_search *s, const struct norn_stepper *stepper)
{
	s->numbers = norn_must_alloc(s->events->count, sizeof *s->numbers);
	for (uint32_t i = 0; i < s->events->count; i++)
		s->numbers[i] = position_of(s, i)->number;
	norn_belief_init(&s->beliefs, stepper, 1);
	fix_reads(s);
	find_watched(s);
	s->belief = norn_belief_start(&s->beliefs, 0);
	advance(s, s->driver->start, &s->valuation, &s->belief);
}

static void search_done(struct sliced_property_search *s)
{
	norn_fixed_reads_done(&s->fixed);
	norn_belief_done(&s->beliefs);
	free(s->numbers);
	free(s->valued);
	free(s->watched);
	free(s->result.threads);
}

/* ---- a violating run ---- */

static void add_candidate(struct sliced_property_search *s, const struct norn_step_model *p)
{
	struct norn_property_search *driver = s->driver;
	uint32_t *cursors = norn_must_calloc(p->threads + 1ul, sizeof *cursors), count = 0;
	uint32_t *list = norn_must_arena_alloc(&driver->arena, (p->end - p->base + 1ul) * sizeof *list);
	uint32_t *valued = norn_must_arena_alloc(&driver->arena, (s->events->count + 1ul) * sizeof *valued), valued_count = 0;
	const struct norn_position **steps = norn_must_arena_alloc(&driver->arena, (s->events->count + 1ul) * sizeof(*steps));
	struct norn_schedule schedule = {.base = p->base, .events = list};
	schedule.count = norn_step_lattice_events(p, driver->options.graph, &s->result, list);
	for (; count < s->past; count++)
		steps[count] = position_of(s, count);
	for (uint32_t i = 0; i < s->result.length; i++) {
		uint32_t thread = s->result.threads[i];
		const struct norn_step_model_step *step = &p->steps[p->first[thread] + cursors[thread]++];
		if (step->relevant == NORN_STEP_MODEL_NONE)
			continue;
		steps[count++] = position_of(s, step->relevant);
		if (is_valued(driver->binding->spec, steps[count - 1]))
			valued[valued_count++] = step->event;
	}
	free(cursors);
	struct norn_candidate candidate = {.steps = steps,
	        .count = count,
	        .graph = driver->options.graph,
	        .schedule = schedule,
	        .valued = valued,
	        .valued_count = valued_count,
	        .watched = norn_must_arena_copy(&driver->arena, s->watched, s->watched_count, sizeof *s->watched),
	        .watched_count = s->watched_count,
	        .watches_reads = s->reads,
	        .extent = norn_findings_text(
	                driver->findings, "%llu states under sliced causality", (unsigned long long)s->result.nodes)};
	norn_instance_search_candidate(s->instance, s->property, &candidate);
}

/* ---- parts ---- */

/* The observed run goes on to the beginning of the next part. */
static void pass(struct sliced_property_search *s, uint32_t base)
{
	for (; s->past < s->events->count && s->numbers[s->past] <= base; s->past++)
		advance(s, position_of(s, s->past), &s->valuation, &s->belief);
}

static void search_part(struct sliced_property_search *s, uint32_t base, uint32_t end)
{
	const struct norn_property_search_options *o = &s->driver->options;
	struct norn_step_lattice_options options = {.max_nodes = o->max_cuts,
	        .max_memory = o->max_memory,
	        .beam = (uint32_t)(o->beam > UINT32_MAX / 2 ? 0 : o->beam),
	        .world = s->valuation,
	        .belief = s->belief,
	        .context = s,
	        .happens = happens};
	struct norn_step_model_property property = {.relevant = s->numbers,
	        .relevant_count = s->events->count,
	        .valued = s->valued,
	        .valued_count = s->valued_count,
	        .watched = s->watched,
	        .watched_count = s->watched_count,
	        .reads = s->reads};
	struct norn_step_model *model = norn_step_model_new(&s->fixed, &property, base, end);
	free(s->result.threads);
	s->result = norn_step_lattice(model, &options);
	struct norn_finding_stats *stats = &s->driver->findings->stats;
	stats->cuts += s->result.nodes;
	if (end - base > stats->slice_events) {
		stats->slice_events = end - base;
		stats->slice_steps = model->first[model->threads];
	}
	if (s->result.found)
		add_candidate(s, model);
	if (model->inexact || model->masked)
		s->inexact = model->inexact ? model->inexact : &norn_rule_masked_read;
	norn_step_model_free(model);
}

/* The number of events that are taken together. */
static uint32_t part_events(uint64_t max_memory)
{
	uint64_t times = max_memory / PART_MEMORY;
	return times > 1024 ? PART_EVENTS * 1024 : times > 1 ? PART_EVENTS * (uint32_t)times : PART_EVENTS;
}

/* Are there calls of code without hooks that may do anything? No search passes these, but begins again after them. */
static bool has_calls(const struct norn_graph *graph)
{
	for (uint32_t i = 1; i <= norn_graph_count(graph); i++) {
		const struct norn_graph_event *e = norn_graph_event(graph, i);
		if (e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_CALL && norn_rule_never(graph, i))
			return true;
	}
	return false;
}

/* The beginning of the part after the one from base: at half of it, or, as nothing passes what is opaque, after that. */
static uint32_t next_base(const struct norn_graph *graph, uint32_t base, uint32_t most)
{
	uint32_t i = base + PART_LEAST, last = base + most / 2;
	while (i < last && i < norn_graph_count(graph) && !norn_rule_never(graph, i))
		i++;
	return i;
}

/* Says what was asked for and not searched. */
static void say_partial(const struct sliced_property_search *s, bool limited, bool long_run, uint32_t most)
{
	struct norn_findings *findings = s->driver->findings;
	if (s->inexact)
		norn_findings_inexact(findings, s->inexact->name);
	if (limited)
		norn_findings_partial(findings, NORN_REASON_LIMIT, 1, "allow more (--max-cuts, --beam, --max-memory)",
		        "property %s: under sliced causality not all runs were searched, only those near the observed one",
		        s->property->property->name);
	if (long_run)
		norn_findings_partial(findings, NORN_REASON_MEMORY, 1, "allow more memory (--max-memory)",
		        "property %s: under sliced causality not all runs were searched, only those that differ from the observed "
		        "one "
		        "within %u events",
		        s->property->property->name, most);
}

static void search_run(struct sliced_property_search *s)
{
	const struct norn_graph *graph = s->driver->options.graph;
	uint32_t total = norn_graph_count(graph);
	uint32_t most = part_events(s->driver->options.max_memory);
	bool calls = has_calls(graph), whole = false, limited = false; /* whole: all of it was searched, up to such calls */
	for (uint32_t base = 0; base < total && !s->result.found && !norn_interrupted(); base = next_base(graph, base, most)) {
		pass(s, base);
		if (s->belief & NORN_BELIEF_DONE || s->past == s->events->count)
			break;
		uint32_t end = total - base > most ? base + most : total;
		if (s->numbers[s->past] <= end)
			search_part(s, base, end);
		limited |= !s->result.complete;
		whole |= base == 0 && end == total && s->result.complete;
		if (total <= base + PART_LEAST || (whole && !calls))
			break;
	}
	if (s->result.found || norn_interrupted())
		return;
	bool cut = norn_graph_cut(graph);
	if (s->driver->options.sliced || s->property->property->predict == NORN_PREDICT_SLICED)
		say_partial(s, !whole && limited, (!whole && total > most) || cut, most);
	else if (s->inexact || !whole || cut)
		norn_findings_note(s->driver->findings,
		        "property %s: all runs that mvc allows were judged; of the others that sliced causality allows only a part "
		        "(ask for it, by predict=sliced or --causality sliced, to be told why)",
		        s->property->property->name);
}

void norn_search_sliced(struct norn_instance_search *instance, struct norn_searched_property *property)
{
	struct sliced_property_search s = {
	        .instance = instance, .driver = instance->search, .property = property, .events = instance->events};
	struct norn_stepper stepper = norn_stepper_of(property->monitor, property->property, true);
	search_init(&s, &stepper);
	if (!(s.belief & NORN_BELIEF_DONE))
		search_run(&s);
	search_done(&s);
}
